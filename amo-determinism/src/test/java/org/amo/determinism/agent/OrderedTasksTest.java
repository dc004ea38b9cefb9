package org.amo.determinism.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.amo.determinism.runtime.MemberOperations;
import org.amo.determinism.runtime.ThreadStarts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/** Tasks that rewritten classes start in operations run in the operations' thread. */
@Timeout(60)
final class OrderedTasksTest {
    private static final long NOON = 1_700_000_000_000L;

    private final List<String> reports = new ArrayList<>();
    private final MemberOperations member = new MemberOperations(new byte[] {1, 2, 3});
    private Class<?> sources = TaskSources.class;

    @BeforeEach
    void order() throws ClassNotFoundException {
        ThreadStarts.configure(ThreadStarts.ORDERED, (line, where) -> reports.add(line));
        sources = load();
    }

    @AfterEach
    void leave() {
        ThreadStarts.configure("warn", (line, where) -> {});
    }

    private static Class<?> load() throws ClassNotFoundException {
        return new RewrittenLoader(EnumSet.allOf(Kind.class), TaskSources.class, true)
                .loadClass(TaskSources.class.getName());
    }

    private Object call(String method) throws ReflectiveOperationException {
        return sources.getMethod(method).invoke(null);
    }

    private void operation(long position, Callable<?> work) throws Exception {
        operation(member, position, work);
    }

    private static void operation(MemberOperations member, long position, Callable<?> work) throws Exception {
        member.begin(position, 5, 6, position, NOON);
        try {
            work.call();
            member.runTasks();
        } finally {
            member.end();
        }
    }

    /** As the member does at each entry. */
    private static void fire(MemberOperations member, long position, long orderedTimeMillis) {
        for (int turn = 0; member.nextTimerMillis() <= orderedTimeMillis; turn++) {
            member.fireTimer(position, turn, orderedTimeMillis);
        }
    }

    @SuppressWarnings("unchecked")
    private Map<String, Callable<?>> all() throws ReflectiveOperationException {
        return (Map<String, Callable<?>>) call("all");
    }

    @Test
    void eachTaskRunsInTheThreadOfTheOperationBehindItOrWhenItIsAwaited() throws Exception {
        Map<String, String> written = new TreeMap<>();
        long position = 1;
        for (Map.Entry<String, Callable<?>> each : all().entrySet()) {
            try {
                operation(position, each.getValue());
                written.put(each.getKey(), (String) call("written"));
            } catch (Exception | StackOverflowError e) {
                written.put(each.getKey(), call("written") + " and then " + e);
            }
            position++;
        }
        assertEquals(new TreeMap<>((Map<?, ?>) call("expected")), written);
        assertEquals(2, reports.stream().filter(line -> line.contains("of the")).count(), reports.toString());
    }

    /** In a process without the agent's order the same tasks run elsewhere, or the test above would prove nothing. */
    @Test
    void outsideOfAnOperationTheyRunInOtherThreads() throws Exception {
        all().get("Executor.execute").call();
        assertTrue(await(() -> (String) call("written"), "elsewhere:c"));
        all().get("a subclass of Thread").call();
        assertTrue(await(() -> (String) call("written"), "elsewhere:w"));
        all().get("CompletableFuture").call();
        assertTrue(await(() -> (String) call("written"), "elsewhere:b"));
    }

    private static boolean await(Callable<String> words, String word) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        StringBuilder all = new StringBuilder();
        while (System.nanoTime() - end < 0) {
            all.append(words.call());
            if (all.indexOf(word) >= 0) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    @Test
    void tasksDrawOnFromWhereTheOperationEnded() throws Exception {
        operation(1, () -> call("draw"));
        String here = (String) call("written");
        sources = load();
        CompletableFuture<String> other = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            try {
                operation(new MemberOperations(new byte[] {1, 2, 3}), 1, () -> call("draw"));
                other.complete((String) call("written"));
            } catch (Exception e) {
                other.completeExceptionally(e);
            }
        });
        thread.start();
        assertEquals(here, other.get(30, TimeUnit.SECONDS));
        String[] drawn = here.split(" ", -1);
        assertNotEquals(drawn[0], drawn[1]);
    }

    @Test
    void timersFireInTheOrderOfTheirTimeAtTheEntryThatReachesIt() throws Exception {
        operation(1, () -> call("schedule"));
        assertEquals("now", call("written"));
        assertEquals(NOON + 10, member.nextTimerMillis());
        assertEquals(5, ThreadStarts.pendingTimers());
        fire(member, 2, NOON + 9);
        assertEquals("", call("written"));
        // A fixed rate catches up, a fixed delay begins anew.
        fire(member, 3, NOON + 35);
        assertEquals("rate delay timer rate", call("written"));
        fire(member, 4, NOON + 49);
        assertEquals("ticks ticks", call("written"));
        fire(member, 5, NOON + 100);
        assertEquals("once rate delay", call("written"));
        assertEquals(Long.MAX_VALUE, member.nextTimerMillis());
        assertEquals(0, ThreadStarts.pendingTimers());
    }

    /** It would end the members at each of its times. A periodic task that fails does not run again in the JDK either. */
    @Test
    void aTimerThatTheGroupSkipsNeverFiresAgainAndTheOthersDo() throws Exception {
        operation(1, () -> call("schedule"));
        assertEquals("now", call("written"));
        // The first timer has a fixed rate.
        member.dropTimer();
        assertEquals(4, ThreadStarts.pendingTimers());
        fire(member, 2, NOON + 1_000);
        assertEquals("delay timer ticks ticks once", call("written"));
        fire(member, 3, NOON + 2_000);
        assertEquals("delay", call("written"));
        assertEquals(Long.MAX_VALUE, member.nextTimerMillis());
        assertEquals(0, ThreadStarts.pendingTimers());
    }

    /** A later operation may ask, or wait for it. */
    @Test
    void theFutureOfATimerThatTheGroupSkipsIsCancelled() throws Exception {
        operation(1, () -> call("keep"));
        assertEquals(false, call("isKeptCancelled"));
        member.dropTimer();
        assertEquals(true, call("isKeptCancelled"));
    }

    /** Members are compared by it: no reply tells of a timer that one of them lacks. */
    @Test
    void membersWithTheSameTimersHaveTheSameDigest() throws Exception {
        MemberOperations other = new MemberOperations(new byte[] {9});
        assertEquals(0, member.timersDigest());
        operation(1, () -> call("schedule"));
        assertNotEquals(0, member.timersDigest());
        assertNotEquals(member.timersDigest(), other.timersDigest());
        operation(other, 1, () -> call("schedule"));
        assertEquals(member.timersDigest(), other.timersDigest());
        fire(member, 2, NOON + 35);
        assertNotEquals(member.timersDigest(), other.timersDigest());
        fire(other, 2, NOON + 35);
        assertEquals(member.timersDigest(), other.timersDigest());
        member.dropTasks();
        other.dropTasks();
        assertEquals(0, member.timersDigest());
    }

    /** It was 0, so that each run seemed to be too late. */
    @Test
    void aTimerTaskKnowsTheTimeAtWhichItWasDue() throws Exception {
        operation(1, () -> call("tellLateness"));
        fire(member, 2, NOON + 15);
        fire(member, 3, NOON + 30);
        assertEquals("5 0", call("written"));
        member.begin(4, 5, 6, 4, NOON + 40);
        call("askForLatestRun");
        member.end();
        assertEquals("10", call("written"));
        assertEquals(Long.MAX_VALUE, member.nextTimerMillis());
    }

    @Test
    void aTimerTaskThatIsCancelledIsNotScheduled() throws Exception {
        operation(1, () -> call("cancelEarly"));
        assertEquals("IllegalStateException cancelled true", call("written"));
        assertEquals(Long.MAX_VALUE, member.nextTimerMillis());
    }

    @Test
    void aWaitWithALimitMovesTheClockOn() throws Exception {
        operation(1, () -> call("guardedWait"));
        assertEquals("1", call("written"));
    }

    @Test
    void anOperationThatWaitsForATimerGoesOnInTime() throws Exception {
        operation(1, () -> call("waitForTimer"));
        assertEquals("latetrue", call("written"));
        assertEquals(Long.MAX_VALUE, member.nextTimerMillis());
    }

    @Test
    void theDelaysOfCompletableFuturesAreTimers() throws Exception {
        operation(1, () -> call("expire"));
        fire(member, 2, NOON + 1_500);
        assertEquals("TimeoutException", call("written"));
        fire(member, 3, NOON + 2_000);
        assertEquals("later", call("written"));
    }

    @Test
    void aTimerDrawsByItsEntry() throws Exception {
        List<String> drawn = new ArrayList<>();
        for (long position : new long[] {7, 7, 8}) {
            MemberOperations one = new MemberOperations(new byte[] {1, 2, 3});
            operation(one, 1, () -> call("drawLater"));
            fire(one, position, NOON + 1_000);
            drawn.add((String) call("written"));
        }
        assertEquals(drawn.get(0), drawn.get(1));
        assertNotEquals(drawn.get(1), drawn.get(2));
    }

    /** Without it, the numbers would follow from words that a client may know. */
    @Test
    void aTimerDrawsFromTheSeedOfTheOperationThatSetIt() throws Exception {
        List<String> drawn = new ArrayList<>();
        for (byte first : new byte[] {4, 4, 9}) {
            MemberOperations one = new MemberOperations(new byte[] {1, 2, 3});
            byte[] seed = new byte[32];
            seed[0] = first;
            operation(one, 1, () -> {
                one.drawFrom(seed, 0);
                return call("drawLater");
            });
            fire(one, 7, NOON + 1_000);
            drawn.add((String) call("written"));
        }
        assertEquals(drawn.get(0), drawn.get(1));
        assertNotEquals(drawn.get(1), drawn.get(2));
    }

    @Test
    void aStateWithoutTimersReplacesThem() throws Exception {
        operation(1, () -> call("schedule"));
        member.dropTasks();
        assertEquals(0, ThreadStarts.pendingTimers());
        fire(member, 2, NOON + 1_000);
        assertEquals("now", call("written"));
    }

    /** A servant that starts a thread for each request would fill the memory. */
    @Test
    @SuppressWarnings("unchecked")
    void aTaskThatHasEndedIsCollected() throws Exception {
        List<WeakReference<?>> tasks = new ArrayList<>();
        operation(1, () -> tasks.addAll((List<WeakReference<?>>) call("forgotten")));
        assertEquals("a 1", call("written"));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (tasks.stream().anyMatch(task -> task.get() != null) && System.nanoTime() - end < 0) {
            System.gc();
        }
        assertEquals(2, tasks.size());
        assertTrue(tasks.stream().allMatch(task -> task.get() == null), "something still holds a task");
    }

    @Test
    void anErrorOfTheMachineInATaskIsThatOfTheOperation() {
        assertThrows(StackOverflowError.class, () -> operation(1, () -> call("overflow")));
    }

    /** The JDK ignores it. As an error of the operation it would end each member. */
    @Test
    void anErrorOfAHandlerOfUncaughtExceptionsIsToldAndNoMore() throws Exception {
        operation(1, () -> call("throwingHandler"));
        assertEquals(2, reports.size(), reports.toString());
        assertTrue(reports.get(1).contains("planted in the handler"), reports.toString());
    }

    @Test
    void aMethodThatIsNotOrderedFails() {
        InvocationTargetException thrown =
                assertThrows(InvocationTargetException.class, () -> operation(1, () -> call("setAll")));
        assertInstanceOf(IllegalStateException.class, thrown.getCause());
        assertTrue(thrown.getCause().getMessage().contains("java.util.Arrays.parallelSetAll"));
    }

    /** A class file of Java 1.4 cannot link its calls at run time. */
    @Test
    void threadsOfOldClassesAreOrdered() throws Exception {
        RewrittenLoader loader = new RewrittenLoader(EnumSet.allOf(Kind.class), TaskSources.class, true);
        Class<?> worker = loader.define("org.amo.determinism.agent.OldWorker", oldThread());
        List<String> ran = new ArrayList<>();
        Thread thread = (Thread) worker.getConstructor(Runnable.class)
                .newInstance((Runnable) () -> ran.add(Thread.currentThread().getName()));
        operation(1, () -> worker.getMethod("go", worker).invoke(null, thread));
        assertEquals(List.of(Thread.currentThread().getName()), ran);
        assertEquals(List.of(), loader.left());
    }

    private static byte[] oldThread() {
        String name = "org/amo/determinism/agent/OldWorker";
        ClassWriter out = new ClassWriter(ClassWriter.COMPUTE_MAXS);
        out.visit(Opcodes.V1_4, Opcodes.ACC_PUBLIC, name, null, "java/lang/Thread", null);
        MethodVisitor made = out.visitMethod(Opcodes.ACC_PUBLIC, "<init>", "(Ljava/lang/Runnable;)V", null, null);
        made.visitCode();
        made.visitVarInsn(Opcodes.ALOAD, 0);
        made.visitVarInsn(Opcodes.ALOAD, 1);
        made.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Thread", "<init>", "(Ljava/lang/Runnable;)V", false);
        made.visitInsn(Opcodes.RETURN);
        made.visitMaxs(0, 0);
        made.visitEnd();
        MethodVisitor go =
                out.visitMethod(Opcodes.ACC_PUBLIC | Opcodes.ACC_STATIC, "go", "(L" + name + ";)V", null, null);
        go.visitCode();
        go.visitVarInsn(Opcodes.ALOAD, 0);
        go.visitMethodInsn(Opcodes.INVOKEVIRTUAL, name, "start", "()V", false);
        go.visitInsn(Opcodes.RETURN);
        go.visitMaxs(0, 0);
        go.visitEnd();
        out.visitEnd();
        return out.toByteArray();
    }
}
