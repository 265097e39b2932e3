-- Above which sum of differences a re-rate needs a second person.
SELECT currency, above_minor FROM finance.approval_limit ORDER BY currency;
