-- KEYS: record, expiry, low-water mark. ARGV: token, lease ms, judge, time of the key or '', retention ms, ahead ms.
-- Returns 1: claimed; 0: there is a record, or the time is refused; -1: another attempt has the claim.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[3] == '1' and ARGV[4] ~= '' then
    local created = tonumber(ARGV[4])
    local mark = tonumber(redis.call('GET', KEYS[3]) or '0')
    if created <= mark or created <= now - ARGV[5] or created > now + ARGV[6] then
        return 0
    end
end
local row = redis.call('HMGET', KEYS[1], 'token', 'lease', 'fingerprint')
if row[3] then
    return 0
end
if row[1] and tonumber(row[2]) > now then
    return -1
end
-- A former attempt has another token from here on, so its commit does nothing.
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'lease', string.format('%.0f', now + ARGV[2]))
redis.call('ZADD', KEYS[2], now + ARGV[2], KEYS[1])
return 1
