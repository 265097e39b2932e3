/*
 * analyzer.h -- put before every file (but error.c) for static analysers, which look at one file at a time: it tells them
 * what error.h promises, that these return false.
 */
#include "base/error.h"

#define error_set(...) (error_set(__VA_ARGS__), false)
#define error_wrap(...) (error_wrap(__VA_ARGS__), false)
#define error_detail(...) (error_detail(__VA_ARGS__), false)
#define error_hint(...) (error_hint(__VA_ARGS__), false)
#define error_at(...) (error_at(__VA_ARGS__), false)
#define error_column(...) (error_column(__VA_ARGS__), false)
#define error_field(...) (error_field(__VA_ARGS__), false)
