-- The database of a private server, made while its cluster is (in single-user mode, before anybody can connect).
CREATE DATABASE tollbook;
