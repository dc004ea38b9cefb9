package org.amo.testkit.fault;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.amo.base.DaemonThreads;
import org.amo.core.order.LogListener;
import org.amo.core.order.OrderedLog;
import org.amo.core.replica.Execution;
import org.amo.core.replica.ReplicatedService;
import org.amo.core.replica.ReplicatedService.AnswerListener;
import org.amo.core.replica.ReplicatedService.Arrival;
import org.amo.core.replica.ServantPort;
import org.amo.core.request.Answer;
import org.amo.core.request.Principal;
import org.amo.core.request.Request;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the faults at the six points of one replica. Threads share it. */
final class FaultyReplica {
    private static final Logger LOG = LoggerFactory.getLogger(FaultyReplica.class);
    private static final int KILLED = 137;
    private static final int MOST_REMEMBERED = 10_000;

    private final FaultPlan plan;
    private final Runnable kill;
    private final Partition partition = new Partition();

    /**
     * The latest requests that came over this replica's connections. Answered ones too: a follower may have the
     * leader's result before it executes itself.
     */
    private final Map<RequestId, Request> own = Collections.synchronizedMap(new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<RequestId, Request> eldest) {
            return size() > MOST_REMEMBERED;
        }
    });

    private final ScheduledExecutorService later =
            Executors.newSingleThreadScheduledExecutor(DaemonThreads.factory("amo-testkit-later"));

    private Optional<ReplicatedService> inner = Optional.empty();

    FaultyReplica(FaultPlan plan) {
        // Not exit: no shutdown hook may tidy up the state that a kill leaves behind.
        this(plan, () -> Runtime.getRuntime().halt(KILLED));
    }

    /** @param kill ends this process; for tests of this class something else */
    FaultyReplica(FaultPlan plan, Runnable kill) {
        this.plan = plan;
        this.kill = kill;
    }

    ReplicatedService around(ReplicatedService service) {
        inner = Optional.of(service);
        return Passing.before(ReplicatedService.class, service, (method, arguments, passage) -> switch (method) {
            case "submit" ->
                pass(
                        new Arrival(
                                (Request) arguments[0],
                                (FinishedNumbers) arguments[1],
                                Principal.UNKNOWN,
                                (AnswerListener) arguments[2]),
                        each -> service.submit(each.request(), each.finished(), each.listener()));
            case "submitAll" -> {
                Together together = new Together(service);
                ((List<?>) arguments[0]).forEach(each -> pass((Arrival) each, together::add));
                yield together.go();
            }
            case "submitPlain" -> {
                AnswerListener listener = answering(Optional.empty(), (AnswerListener) arguments[4]);
                yield at(
                        FaultPoint.BEFORE_ORDER,
                        Optional.empty(),
                        () -> passage.go(arguments[0], arguments[1], arguments[2], arguments[3], listener));
            }
            case "acknowledge" -> acknowledge(() -> passage.go(arguments));
            default -> passage.go(arguments);
        });
    }

    private Object pass(Arrival arrival, Consumer<Arrival> next) {
        Request request = arrival.request();
        own.put(request.id(), request);
        AnswerListener listener = answering(Optional.of(request), arrival.listener());
        FinishedNumbers carried = carried(request, arrival.finished());
        return at(FaultPoint.BEFORE_ORDER, Optional.of(request), () -> {
            next.accept(new Arrival(request, carried, arrival.principal(), listener));
            return nothing();
        });
    }

    /** Requests that arrived together stay together, except those that a fault holds back. */
    private static final class Together {
        private final ReplicatedService service;
        private Optional<List<Arrival>> waiting = Optional.of(new ArrayList<>());

        Together(ReplicatedService service) {
            this.service = service;
        }

        void add(Arrival arrival) {
            synchronized (this) {
                if (waiting.isPresent()) {
                    waiting.get().add(arrival);
                    return;
                }
            }
            service.submitAll(List.of(arrival));
        }

        Object go() {
            List<Arrival> all;
            synchronized (this) {
                all = waiting.orElseThrow();
                waiting = Optional.empty();
            }
            service.submitAll(all);
            return nothing();
        }
    }

    ServantPort around(ServantPort servant) {
        return Passing.before(ServantPort.class, servant, (method, arguments, passage) -> {
            if (!method.equals("execute")) {
                return passage.go(arguments);
            }
            Request request =
                    arguments[0] instanceof Execution execution ? execution.request() : (Request) arguments[2];
            Optional<Request> ours = Optional.ofNullable(own.get(request.id()));
            ours.ifPresent(waiting -> stay(FaultPoint.AFTER_ORDER, waiting));
            Object reply = passage.go(arguments);
            ours.ifPresent(waiting -> stay(FaultPoint.AFTER_EXECUTE, waiting));
            return reply;
        });
    }

    OrderedLog around(OrderedLog log) {
        return Passing.before(OrderedLog.class, log, (method, arguments, passage) -> switch (method) {
            case "start" -> passage.go(partition.around((LogListener) arguments[0]));
            case "submit", "send" -> partition.isCut() ? nothing() : passage.go(arguments);
            default -> passage.go(arguments);
        });
    }

    private AnswerListener answering(Optional<Request> request, AnswerListener listener) {
        return answer -> {
            // A client counts its attempts, and takes a new number when each of them was refused: none may arrive after
            // that.
            Optional<Request> copied = request.filter(each -> answer.kind() == Answer.Kind.REPLY);
            at(FaultPoint.BEFORE_REPLY, copied, () -> {
                listener.onAnswer(answer);
                return at(FaultPoint.AFTER_REPLY, copied, FaultyReplica::nothing);
            });
        };
    }

    /** A request carries an acknowledgement; returns the part that the request is to carry on. */
    private FinishedNumbers carried(Request request, FinishedNumbers finished) {
        if (finished.equals(FinishedNumbers.NONE)) {
            return finished;
        }
        Optional<FaultRule> due = plan.pass(FaultPoint.BEFORE_SACK);
        if (due.isEmpty()) {
            return finished;
        }
        Step apart = () -> {
            inner.ifPresent(service -> service.acknowledge(request.id().client(), finished));
            return nothing();
        };
        FaultAction action = due.get().action();
        if (action == FaultAction.DUPLICATE) {
            tell(due.get());
            apart.take();
        } else {
            make(due.get(), Optional.empty(), action == FaultAction.DELAY ? apart : FaultyReplica::nothing);
        }
        return action == FaultAction.DELAY ? FinishedNumbers.NONE : finished;
    }

    /** An acknowledgement without a request. */
    private Object acknowledge(Step step) {
        Optional<FaultRule> due = plan.pass(FaultPoint.BEFORE_SACK);
        if (due.filter(rule -> rule.action() == FaultAction.DUPLICATE).isPresent()) {
            tell(due.get());
            step.take();
        } else if (due.isPresent()) {
            return make(due.get(), Optional.empty(), step);
        }
        return step.take();
    }

    /** The next step on the way. Like all that a proxy answers, nothing is null. */
    private interface Step {
        Object take();
    }

    /** On a thread that must not wait. */
    private Object at(FaultPoint point, Optional<Request> request, Step next) {
        Optional<FaultRule> due = plan.pass(point);
        return due.isPresent() ? make(due.get(), request, next) : next.take();
    }

    /** On the thread that runs the servant, which may wait. */
    private void stay(FaultPoint point, Request request) {
        plan.pass(point).ifPresent(rule -> {
            if (rule.action() == FaultAction.DELAY) {
                tell(rule);
                sleep(rule.millis());
            } else {
                make(rule, Optional.of(request), FaultyReplica::nothing);
            }
        });
    }

    private Object make(FaultRule rule, Optional<Request> request, Step next) {
        tell(rule);
        switch (rule.action()) {
            case KILL -> kill.run();
            case DELAY -> {
                ScheduledFuture<?> unused = later.schedule(next::take, rule.millis(), TimeUnit.MILLISECONDS);
                return nothing();
            }
            case DUPLICATE -> request.ifPresent(each -> submitAgain(each, rule.millis()));
            case EXHAUST -> throw exhaust();
            case PARTITION -> {
                partition.cut();
                ScheduledFuture<?> unused = later.schedule(partition::heal, rule.millis(), TimeUnit.MILLISECONDS);
            }
        }
        return next.take();
    }

    /** As a servant does that asks for too much. */
    private static OutOfMemoryError exhaust() {
        List<byte[]> taken = new ArrayList<>();
        while (true) {
            taken.add(new byte[taken.isEmpty() ? 1 : 1 << 20]);
        }
    }

    /** No client waits for this duplicate's answer. Not on this thread, which may hold the replica. */
    private void submitAgain(Request request, long millis) {
        ScheduledFuture<?> unused = later.schedule(
                () -> inner.ifPresent(service -> service.submit(
                        request, FinishedNumbers.NONE, answer -> LOG.debug("a copy was answered {}", answer))),
                millis,
                TimeUnit.MILLISECONDS);
    }

    private static void tell(FaultRule rule) {
        LOG.warn("FAULT: {}", rule);
    }

    private static Object nothing() {
        return Nothing.NOTHING;
    }

    private enum Nothing {
        NOTHING
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
