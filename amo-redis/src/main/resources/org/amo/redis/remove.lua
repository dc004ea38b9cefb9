-- KEYS: expiry, low-water mark. ARGV: how many at most. Returns the number of removed records, ended claims included.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expired = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
local mark = tonumber(redis.call('GET', KEYS[2]) or '0')
for _, record in ipairs(expired) do
    -- A claim has no time: its attempt finds out that its token is gone.
    mark = math.max(mark, tonumber(redis.call('HGET', record, 'created') or '') or 0)
    redis.call('DEL', record)
    redis.call('ZREM', KEYS[1], record)
end
if #expired > 0 then
    redis.call('SET', KEYS[2], string.format('%.0f', mark))
end
return #expired
