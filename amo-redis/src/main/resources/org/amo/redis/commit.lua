-- KEYS: record, expiry, low-water mark, then those of the writes. ARGV: token, fingerprint, reply, time of the key or '', retention ms,
-- then each write as its number of words and its words.
-- Returns '' if all was done; 'lost': nothing was done, and the claim is gone or the key too old; otherwise the error of a write.
if redis.call('HGET', KEYS[1], 'token') ~= ARGV[1] then
    return 'lost'
end
if ARGV[4] ~= '' and tonumber(ARGV[4]) <= tonumber(redis.call('GET', KEYS[3]) or '0') then
    return 'lost'
end
local failed = ''
local at = 6
while at <= #ARGV and failed == '' do
    local words = tonumber(ARGV[at])
    local answer = redis.pcall(unpack(ARGV, at + 1, at + words))
    if type(answer) == 'table' and answer.err then
        failed = answer.err
        if at == 6 then
            return failed
        end
    end
    at = at + words + 1
end
local time = redis.call('TIME')
local from = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[4] ~= '' then
    from = math.max(from, tonumber(ARGV[4]))
end
redis.call('HDEL', KEYS[1], 'token', 'lease')
redis.call('HSET', KEYS[1], 'fingerprint', ARGV[2], 'created', ARGV[4])
if failed == '' then
    redis.call('HSET', KEYS[1], 'reply', ARGV[3])
end
-- Redis takes no write back: a record without a reply says that a part stands, and no retry runs.
redis.call('ZADD', KEYS[2], from + ARGV[5], KEYS[1])
return failed
