// express, passport-local and express-session on PostgreSQL, as in their guides.
import bcrypt from 'bcrypt'
import connectPgSimple from 'connect-pg-simple'
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import { Strategy } from 'passport-local'
import pg from 'pg'

const { PORT, DATABASE_URL, SECRET } = process.env
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })
const PgSession = connectPgSimple(session)

async function find (column, value) {
  const select = `SELECT id, username, email, password_hash FROM people WHERE ${column} = $1`
  const { rows } = await pool.query(select, [value])
  return rows[0]
}

passport.use(new Strategy(async function verify (username, password, done) {
  try {
    const user = await find('username', username)
    done(null, user && await bcrypt.compare(password, user.password_hash) ? user : false)
  } catch (error) {
    done(error)
  }
}))
passport.serializeUser((user, done) => done(null, user.id))
passport.deserializeUser((id, done) => find('id', id).then(user => done(null, user ?? false), done))

const app = express()
app.use(express.json())
app.use(session({
  store: new PgSession({ pool, createTableIfMissing: true }),
  secret: SECRET,
  resave: false,
  saveUninitialized: false,
  cookie: { httpOnly: true, sameSite: 'strict', maxAge: 30 * 24 * 60 * 60 * 1000 },
}))
app.use(passport.session())
app.get('/', (request, response) => response.json({ status: 'ok' }))
app.post('/login', passport.authenticate('local'), ({ user: { id, username, email } }, response) => {
  response.json({ user: { id, username, email } })
})
app.get('/verify', ({ user }, response) => response.status(user ? 204 : 401).end())
app.listen(Number(PORT), '127.0.0.1')
