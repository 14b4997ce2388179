import { Redis } from 'ioredis'
import { InputError, messageOf, UserError } from '../../base/errors.ts'

export const queueName = 'rein-bench'

/**
 * A connection that never gives up once it stood: Redis may go away and come back, and commands wait for it. The first
 * connection is different: an address where nothing answers is a mistake to be told at once.
 */
export async function connect(url: string): Promise<Redis> {
  if (!/^rediss?:\/\//.test(url)) throw new InputError(`"${url}" is not a Redis address: it should begin with redis://`)
  const redis = new Redis(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    connectTimeout: 5000,
    retryStrategy: (times) => Math.min(100 * times, 2000),
  })
  // an error event without a listener would end the process; the reconnection is ioredis's own business
  redis.on('error', () => {})
  try {
    await first(redis)
    return redis
  } catch (error) {
    redis.disconnect()
    throw new UserError(`cannot reach Redis at ${withoutPassword(url)}: ${messageOf(error)}`)
  }
}

function first(redis: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    redis.once('ready', resolve)
    redis.once('error', reject)
    redis.connect().catch(reject)
  })
}

function withoutPassword(url: string): string {
  try {
    const { host } = new URL(url)
    return `redis://${host}`
  } catch {
    return 'that address'
  }
}
