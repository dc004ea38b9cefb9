/**
 * Calls that run exactly once into the Redis that a service already has: {@link org.amo.redis.RedisResultStore} keeps their records.
 * The rules: docs/how-to/exactly-once-into-redis.md and docs/decisions/0125.
 */
@NullMarked
package org.amo.redis;

import org.jspecify.annotations.NullMarked;
