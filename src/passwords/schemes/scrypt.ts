import { createCipheriv, scrypt, type BinaryLike, type ScryptOptions } from 'node:crypto'
import { count, decode, requireOnly, UnusableHash, type PhcString } from './phc.ts'
import { MAX_MEMORY, type Scheme } from './scheme.ts'

/** N · r · p: the memory limit, twice. */
const MAX_WORK = MAX_MEMORY / 128 * 2
const MAX_LOG_N = 20

/** `$scrypt$ln=14,r=8,p=1$…`. `form=nfkc`: the password was put into this Unicode form before, as better-auth does. */
export const scryptScheme: Scheme = hash => {
  requireOnly(hash, 'ln', 'r', 'p', 'form')
  const { form } = hash.parameters
  if (form !== undefined && form !== 'nfkc') throw new UnusableHash('an unknown parameter')
  const options = optionsOf(hash, 'ln')
  return {
    ...costsOf(options),
    parameters: `ln=${Math.log2(options.N)},r=${options.r},p=${options.p}${form ? ',form=nfkc' : ''}`,
    derive: password => derive(form ? password.normalize('NFKC') : password, hash.salt, hash.digest.length, options),
  }
}

/**
 * `$fbscrypt$v=1,n=14,r=8,p=1,ss=…,sk=…$…`, as Supabase writes the hashes of Firebase: `ss` is the salt separator and
 * `sk` the signer key of the project, `n` its memory cost and `r` its rounds.
 */
export const firebaseScheme: Scheme = hash => {
  requireOnly(hash, 'v', 'n', 'r', 'p', 'ss', 'sk')
  const options = optionsOf(hash, 'n')
  const salt = Buffer.concat([hash.salt, decode(hash.parameters.ss ?? '')])
  const signerKey = decode(hash.parameters.sk ?? '')
  if (signerKey.length !== hash.digest.length) throw new UnusableHash('a signer key that does not fit the digest')
  return {
    ...costsOf(options),
    parameters: `v=1,n=${Math.log2(options.N)},r=${options.r},p=${options.p}`,
    async derive (password) {
      const key = await derive(password, salt, 32, options)
      return createCipheriv('aes-256-ctr', key, Buffer.alloc(16)).update(signerKey)
    },
  }
}

interface Options extends ScryptOptions { N: number, r: number, p: number }

function optionsOf (hash: PhcString, logN: string): Options {
  const N = 2 ** count(hash, logN, MAX_LOG_N)
  const r = count(hash, 'r', 32)
  const p = count(hash, 'p', 16)
  if (128 * N * r > MAX_MEMORY) throw new UnusableHash(`the parameters ${logN} and r together need too much memory`)
  if (N * r * p > MAX_WORK) throw new UnusableHash('the parameters together need too much time')
  return { N, r, p, maxmem: 2 * MAX_MEMORY }
}

const costsOf = ({ N, r, p }: Options) => ({ memory: 128 * N * r, work: N * r * p })

function derive (password: BinaryLike, salt: BinaryLike, length: number, options: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password, salt, length, options, (error, key) => error ? reject(error) : resolve(key))
  })
}
