package org.amo.interceptors;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.amo.meetings.Meeting;
import org.amo.meetings.Meetings;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

class RateLimitedLogTest {

    @Test
    @SuppressWarnings("ThreadPriorityCheck") // of the planted bug
    void manyThreadsThatWarnAtOnceMakeOneLine() {
        Meetings.prove(
                () -> {
                    AtomicInteger lines = new AtomicInteger();
                    return warning(new RateLimitedLog(counting(lines), Duration.ofHours(1))::warn, lines);
                },
                () -> {
                    AtomicInteger lines = new AtomicInteger();
                    boolean[] spoken = {false};
                    return warning(
                            message -> {
                                if (!spoken[0]) {
                                    lines.incrementAndGet();
                                    Thread.yield(); // where two share a core, they meet here or nowhere
                                    spoken[0] = true;
                                }
                            },
                            lines);
                });
    }

    private static Meeting warning(Consumer<String> warn, AtomicInteger lines) {
        Meeting.Act act = () -> warn.accept("trouble");
        return Meeting.of(() -> lines.get() == 1 ? "" : lines + " lines", act, act);
    }

    private static Logger counting(AtomicInteger lines) {
        return (Logger) Proxy.newProxyInstance(
                Logger.class.getClassLoader(), new Class<?>[] {Logger.class}, (proxy, method, arguments) -> {
                    lines.incrementAndGet();
                    return null;
                });
    }
}
