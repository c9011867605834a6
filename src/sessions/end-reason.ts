/** Why a session ended: the column `revoked_for`. */
export type EndReason =
  | 'sign_out' | 'ended_by_user' | 'ended_by_operator' | 'replaced' | 'reuse'
  | 'password_changed' | 'password_reset' | 'disabled' | 'session_limit' | 'email_change_undone'
