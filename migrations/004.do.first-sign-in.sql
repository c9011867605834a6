-- Events are kept for half a year; whether an account was ever used must be known for longer.
ALTER TABLE users ADD COLUMN first_signed_in_at timestamptz;
UPDATE users SET first_signed_in_at = (SELECT min(created_at) FROM auth_events WHERE user_id = users.id AND what = 'sign_in');
