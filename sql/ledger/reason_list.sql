-- Reasons, with the verbs they are for.
SELECT reason, array_to_string(used_for, ', '), meaning FROM finance.reason ORDER BY reason;
