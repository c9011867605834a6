import type { FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { importPKCS8, SignJWT, type CryptoKey, type JWTPayload } from 'jose'
import { inTime } from '../../src/database/outage.ts'
import { Conflict, Unavailable } from '../../src/errors.ts'
import { createKeyPair, type PublicKey } from '../../src/service-tokens/key-pair.ts'
import {
  clientKey, currentKey, isEmpty, planRotation, PUBLISHED_AHEAD,
} from '../../src/service-tokens/key-rotation.ts'
import { createEncryption } from '../../src/secrets/encryption.ts'
import type { Queryable } from '../infrastructure/database.ts'
import type { StoredKey } from '../records/service-tokens/signing-keys-store.ts'

declare module 'fastify' {
  interface FastifyInstance { signingKeys: ReturnType<typeof createSigningKeys> }
}

/** One of the keys that can sign. */
type Choice = (keys: StoredKey[], canOpen: (key: StoredKey) => boolean) => StoredKey | undefined

interface OpenedKey {
  encrypted: string
  /** Missing if no secret opens it. */
  privateKey?: CryptoKey
}

interface ClientKey {
  kid: string
  publicKey: PublicKey
  /** Missing if it is retired, or no secret opens it. */
  privateKey?: CryptoKey
}

/** All instances follow a change within this time. */
const CHECK_INTERVAL = 20_000

function createSigningKeys (app: FastifyInstance) {
  const { config, database, log, signingKeysStore: store } = app
  const encryption = createEncryption('signing keys', config)
  const { SIGNING_ALG: algorithm } = config
  const opened = new Map<string, OpenedKey>()
  let known: { keys: StoredKey[], readAt: number } = { keys: [], readAt: -Infinity }
  /** Not published any more: they verify what this service has signed during a session. */
  let retired: PublicKey[] = []
  let updating: Promise<void> | undefined

  const canOpen = ({ kid }: { kid: string }) => opened.get(kid)?.privateKey !== undefined
  const isStale = () => performance.now() - known.readAt > CHECK_INTERVAL

  async function open (client: Queryable, { kid, algorithm, encrypted }: StoredKey) {
    const before = opened.get(kid)
    if (before?.encrypted === encrypted) return
    const found = await encryption.decrypt(encrypted, kid)
    if (!found && !before) log.error({ kid }, 'no secret opens this signing key: was JWT_SECRET replaced?')
    // An instance that has not got the new secret yet goes on with the key that it has opened before.
    opened.set(kid, { encrypted, privateKey: found ? await importPKCS8(found.text, algorithm) : before?.privateKey })
    if (found?.isOutdated) await store.replaceEncrypted(client, kid, await encryption.encrypt(found.text, kid))
  }

  async function openAll (client: Queryable, keys: StoredKey[]) {
    for (const key of keys) if (!key.retiredAt) await open(client, key)
    for (const kid of opened.keys()) if (!keys.some(key => key.kid === kid)) opened.delete(kid)
  }

  async function add (client: Queryable, signsIn: number) {
    const { pem, privateKey, ...key } = await createKeyPair(algorithm)
    const encrypted = await encryption.encrypt(pem, key.kid)
    await store.add(client, { ...key, encrypted }, signsIn)
    opened.set(key.kid, { encrypted, privateKey })
    log.info({ kid: key.kid, signsIn }, 'new signing key')
  }

  async function rotate (client: Queryable, keys: StoredKey[]): Promise<StoredKey[]> {
    await openAll(client, keys)
    const plan = planRotation(keys, canOpen, algorithm)
    if (plan.addIn !== undefined) await add(client, plan.addIn)
    await store.apply(client, plan, config.SESSION_MAX_AGE)
    return store.read(client)
  }

  async function readAndRotate () {
    const keys = await store.read()
    await openAll(database, keys)
    retired = await store.readRetired()
    const isDue = !isEmpty(planRotation(keys, canOpen, algorithm))
    known = { keys: isDue ? await store.change(rotate) : keys, readAt: performance.now() }
  }

  function update (): Promise<void> {
    updating ??= readAndRotate().finally(() => { updating = undefined })
    return updating
  }

  const updateInBackground = () => {
    update().catch(err => log.warn({ err }, 'cannot read the signing keys'))
  }
  let timer: NodeJS.Timeout | undefined
  // Not in commands, whose secret may differ from that of the service.
  app.addHook('onListen', async function followKeys () {
    updateInBackground()
    timer = setInterval(updateInBackground, CHECK_INTERVAL).unref()
  })
  app.addHook('onClose', async function stopFollowing () {
    clearInterval(timer)
    await updating?.catch(() => {})
  })

  /** A key that the database names. */
  async function choose (choice: Choice) {
    if (isStale()) await inTime(update())
    const key = choice(known.keys, canOpen)
    const privateKey = key && opened.get(key.kid)?.privateKey
    if (!privateKey) throw new Unavailable(new Error('there is no signing key'))
    const { kid, algorithm, publicKey } = key
    return { kid, algorithm, publicKey, privateKey }
  }

  async function signWith (choice: Choice, claims: JWTPayload, typ: string): Promise<{ kid: string, token: string }> {
    const { kid, algorithm: alg, privateKey } = await choose(choice)
    return { kid, token: await new SignJWT(claims).setProtectedHeader({ alg, kid, typ }).sign(privateKey) }
  }

  /** Keys that are published, or were while the oldest session has lived. */
  const verificationKeys = (): PublicKey[] => [...known.keys.map(({ publicKey }) => publicKey), ...retired]

  /** The public keys. During an outage of PostgreSQL those that were read last. */
  async function published (): Promise<PublicKey[]> {
    if (known.keys.length === 0) await update()
    else if (isStale()) await inTime(update()).catch(() => {})
    return known.keys.map(({ publicKey }) => publicKey)
  }

  return {
    /** A token for another service, signed with the current key. */
    sign: (claims: JWTPayload) => signWith(currentKey, claims, 'at+jwt'),

    /** For clients of the OpenID provider: the key that signs first, then those that only verify. */
    async forClients (): Promise<ClientKey[]> {
      const { kid, publicKey, privateKey } = await choose(clientKey)
      const others = verificationKeys().filter(key => key.alg === publicKey.alg)
      return [
        { kid, publicKey, privateKey },
        ...others.filter(key => key.kid !== kid).map(publicKey => ({ kid: publicKey.kid, publicKey })),
      ]
    },

    verificationKeys,

    signForClients: (claims: JWTPayload, typ: string) => signWith(clientKey, claims, typ),

    published,

    isPublished: (kid: string): boolean => known.keys.some(key => key.kid === kid),

    list: () => store.read(),

    /** Reads the keys now, and rotates them if that is due, as each instance does every 20 seconds. */
    update,

    /** Publishes a key that signs in an hour. Changes nothing if there is one already. */
    async rotate (): Promise<StoredKey[]> {
      return store.change(async (client, keys) => {
        await openAll(client, keys)
        const usable = keys.filter(key => !key.retiredAt && canOpen(key))
        if (keys.length > 0 && usable.length === 0) {
          throw new Conflict('JWT_SECRET does not open the signing keys. Run this with the settings of the service.')
        }
        if (!usable.some(({ signsIn }) => signsIn > 0)) await add(client, usable.length > 0 ? PUBLISHED_AHEAD : 0)
        return store.read(client)
      })
    },

    /** Withdraws a key at once. If it was the one that signs, the instances create another. */
    retire: store.remove,
  }
}

export default fp(async function (app) {
  app.decorate('signingKeys', createSigningKeys(app))
}, { name: 'signing-keys', dependencies: ['database', 'signing-keys-store'] })
