package org.amo.cli.scmp;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.amo.net.CheckedFile;
import org.amo.scmp.ConnectionId;
import org.amo.scmp.udp.ScmpService;

/**
 * Counters with names, kept in a ledger: one line for each addition that ran. The calls are words: {@code add NAME AMOUNT}, {@code get
 * NAME} and {@code all}. Calls of all threads run one after another.
 *
 * <p>A line is on disk before its call is answered, and holds the value after it. So after a crash the counters are those of the
 * last lines. A line without its end was not answered; it is cut off at the start.
 */
final class CounterLedger implements ScmpService, AutoCloseable {
    private static final Pattern ADD = Pattern.compile("add ([A-Za-z0-9._-]{1,64}) ([+-]?\\d{1,18})");
    private static final Pattern GET = Pattern.compile("get ([A-Za-z0-9._-]{1,64})");
    private static final Pattern LINE =
            Pattern.compile("([A-Za-z0-9._-]{1,64}) [+-]?\\d{1,18} (-?\\d{1,19}) [0-9a-f]{32}/\\d{1,10}");

    private final FileChannel file;
    private final Map<String, Long> values = new TreeMap<>();

    private CounterLedger(FileChannel file) {
        this.file = file;
    }

    /**
     * Opens the ledger, or makes it.
     *
     * @throws IOException in one line if it cannot be read and written, or has other lines
     */
    static CounterLedger open(Path path) throws IOException {
        FileChannel file = CheckedFile.openLocked(
                        path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)
                .orElseThrow(() ->
                        new IOException(path + " is the ledger of another process; name another file by --ledger"));
        try {
            CounterLedger ledger = new CounterLedger(file);
            ledger.read(path);
            return ledger;
        } catch (IOException | RuntimeException e) {
            file.close();
            throw e;
        }
    }

    private void read(Path path) throws IOException {
        // By the locked channel alone: to close another one would give the lock up.
        String text = new String(Channels.newInputStream(file).readAllBytes(), StandardCharsets.ISO_8859_1);
        int whole = text.lastIndexOf('\n') + 1;
        int number = 0;
        for (String line : text.substring(0, whole).lines().toList()) {
            number++;
            Matcher fields = LINE.matcher(line);
            if (!fields.matches()) {
                throw new IOException(path + " is no ledger of counters, since line " + number
                        + " is none of its lines; name another file by --ledger");
            }
            values.put(fields.group(1), Long.parseLong(fields.group(2)));
        }
        file.truncate(whole).position(whole);
    }

    @Override
    public byte[] call(ConnectionId caller, byte[] arguments) throws IOException {
        return run(caller, new String(arguments, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    }

    private synchronized String run(ConnectionId caller, String words) throws IOException {
        Matcher add = ADD.matcher(words);
        if (add.matches()) {
            return Long.toString(add(caller, add.group(1), Long.parseLong(add.group(2))));
        }
        Matcher get = GET.matcher(words);
        if (get.matches()) {
            return Long.toString(values.getOrDefault(get.group(1), 0L));
        }
        if (words.equals("all")) {
            return values.entrySet().stream()
                    .map(each -> each.getKey() + " " + each.getValue())
                    .collect(Collectors.joining("\n"));
        }
        throw new IllegalArgumentException("no such call; write add NAME AMOUNT, get NAME, or all");
    }

    private long add(ConnectionId caller, String name, long amount) throws IOException {
        long value = Math.addExact(values.getOrDefault(name, 0L), amount);
        long end = file.position();
        try {
            ByteBuffer line = ByteBuffer.wrap(
                    (name + " " + amount + " " + value + " " + caller + "\n").getBytes(StandardCharsets.US_ASCII));
            while (line.hasRemaining()) {
                file.write(line);
            }
            file.force(false);
        } catch (IOException e) {
            file.truncate(end).position(end); // the call failed, so its line must not count at the next start
            throw e;
        }
        values.put(name, value);
        return value;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
