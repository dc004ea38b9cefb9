-- KEYS: record, expiry. ARGV: token. Ends the claim of an attempt, unless it has committed or lost its claim.
if redis.call('HGET', KEYS[1], 'token') == ARGV[1] then
    redis.call('DEL', KEYS[1])
    redis.call('ZREM', KEYS[2], KEYS[1])
end
