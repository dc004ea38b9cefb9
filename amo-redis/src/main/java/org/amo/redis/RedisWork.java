package org.amo.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;
import org.amo.base.Experimental;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.args.Rawable;
import redis.clients.jedis.util.SafeEncoder;

/**
 * The reads and writes of a call. A read is answered at once, and its keys are watched: if another client changes one before the commit,
 * the work runs again. Writes are collected, and Redis runs them in one atomic step with the completion record. So a read does not see
 * the writes of its own work.
 *
 * <p>Redis takes no write back. If one fails behind others, such as an increment of a text, those before it stand: the call
 * is {@link org.amo.once.OnceException.Reason#UNKNOWN} for ever, and never runs again. Read a key first if its type is in doubt.
 *
 * <p>One thread owns it; it serves until the work ends.
 */
@Experimental
public final class RedisWork {
    /** Lua unpacks no more. */
    private static final int MAX_WORDS = 7_000;

    /** Of SORT: read other keys than the sorted one. */
    private static final Set<String> BY_PATTERN = Set.of("by", "get");

    private static final CommandObjects COMMANDS = new CommandObjects(RedisProtocol.RESP2);

    private final Connection connection;
    private final Map<String, List<String>> flags;
    private final List<CommandArguments> writes = new ArrayList<>();
    private boolean watches;
    private boolean ended;

    /** @param flags of commands that are known, shared by the works of a store */
    RedisWork(Connection connection, Map<String, List<String>> flags) {
        this.connection = connection;
        this.flags = flags;
    }

    /** The commands by their names, such as {@code commands().get("balance")}. */
    public CommandObjects commands() {
        return COMMANDS;
    }

    /**
     * Runs a command that only reads.
     *
     * @throws IllegalArgumentException if the command may write, or reads keys that it does not name, so that they cannot be watched
     */
    public <T> T read(CommandObject<T> command) {
        requireOpen();
        CommandArguments arguments = command.getArguments();
        requireFlag(arguments, "readonly", "read");
        List<byte[]> keys = keys(arguments);
        if (keys.isEmpty() || readsByPattern(arguments)) {
            throw new IllegalArgumentException(name(arguments)
                    + " reads keys that cannot be watched, or none: read what the answer depends on by key");
        }
        watches = true;
        connection.sendCommand(Protocol.Command.WATCH, keys.toArray(byte[][]::new));
        connection.getStatusCodeReply();
        return connection.executeCommand(command);
    }

    /**
     * Adds a write; its answer is not known before the commit.
     *
     * @throws IllegalArgumentException if the command writes nothing
     */
    public void write(CommandObject<?> command) {
        requireOpen();
        CommandArguments arguments = command.getArguments();
        requireFlag(arguments, "write", "write");
        if (arguments.size() > MAX_WORDS) {
            throw new IllegalArgumentException(name(arguments) + " has " + arguments.size() + " words, and at most "
                    + MAX_WORDS + " are allowed: split it");
        }
        writes.add(arguments);
    }

    /** What a pattern stands for is not watched; Jedis names the pattern of KEYS as a key. */
    private static boolean readsByPattern(CommandArguments arguments) {
        String name = name(arguments);
        if (name.equals("keys")) {
            return true;
        }
        return name.equals("sort_ro")
                && StreamSupport.stream(arguments.spliterator(), false)
                        .skip(2) // the command and its key
                        .map(word -> SafeEncoder.encode(word.getRaw()).toLowerCase(Locale.ROOT))
                        .anyMatch(BY_PATTERN::contains);
    }

    private void requireOpen() {
        if (ended) {
            throw new IllegalStateException("the work has ended, and its commands with it");
        }
    }

    private void requireFlag(CommandArguments arguments, String flag, String method) {
        String name = name(arguments);
        List<String> known = flags.get(name);
        if (known == null) {
            known = ask(name);
            flags.put(name, known);
        }
        if (!known.contains(flag)) {
            throw new IllegalArgumentException(
                    name + " is no command to " + method + ", Redis says: " + known + "; use the other method");
        }
    }

    /** The flags of a command, as this version of Redis has them. */
    private List<String> ask(String name) {
        connection.sendCommand(Protocol.Command.COMMAND, "INFO", name);
        List<String> result = new ArrayList<>();
        if (connection.getOne() instanceof List<?> answers
                && !answers.isEmpty()
                && answers.get(0) instanceof List<?> info
                && info.get(2) instanceof Iterable<?> words) {
            for (Object each : words) {
                result.add(each instanceof byte[] bytes ? SafeEncoder.encode(bytes) : String.valueOf(each));
            }
        }
        return List.copyOf(result);
    }

    private static String name(CommandArguments arguments) {
        return SafeEncoder.encode(arguments.getCommand().getRaw()).toLowerCase(Locale.ROOT);
    }

    static List<byte[]> keys(CommandArguments arguments) {
        List<byte[]> keys = new ArrayList<>();
        for (Object key : arguments.getKeys()) {
            keys.add(key instanceof byte[] bytes ? bytes : SafeEncoder.encode(String.valueOf(key)));
        }
        return keys;
    }

    void end() {
        ended = true;
    }

    /** Whether the connection watches keys. */
    boolean watches() {
        return watches;
    }

    /** The keys of the writes. */
    List<byte[]> keys() {
        List<byte[]> keys = new ArrayList<>();
        writes.forEach(each -> keys.addAll(keys(each)));
        return keys;
    }

    /** The writes as the commit's script takes them: the number of words, and the words. */
    List<byte[]> words() {
        List<byte[]> words = new ArrayList<>();
        for (CommandArguments each : writes) {
            words.add(Protocol.toByteArray(each.size()));
            for (Rawable word : each) {
                words.add(word.getRaw());
            }
        }
        return words;
    }
}
