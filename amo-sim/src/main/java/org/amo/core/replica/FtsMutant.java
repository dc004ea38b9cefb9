package org.amo.core.replica;

import org.amo.base.ClientId;
import org.amo.core.client.ClientCall;
import org.amo.core.client.ClientSession;
import org.amo.core.client.Delivery;
import org.amo.core.client.MutantSession;
import org.amo.core.client.Step;
import org.amo.core.request.Answer;
import org.amo.core.rules.SafetyRule;
import org.amo.sim.rules.RuleSet;

/** Clients with a bug, each of which {@code fts} has to find. */
enum FtsMutant implements FtsPlanted {
    NONE,
    @Bug(plant = "repeats-untold", is = "a client is not told that its network may duplicate an attempt")
    REPEATS_UNTOLD {
        @Override
        ClientSession session(ClientId id, Delivery delivery, RuleSet<SafetyRule> rules) {
            return new MutantSession(id, Delivery.AT_MOST_ONCE, rules);
        }
    },
    @Bug(plant = "lost-copy-uncounted", is = "an attempt that is lost with its connection counts as never sent")
    LOST_COPY_UNCOUNTED {
        @Override
        Step onCopyLost(BrokenCall call, long nowMillis) {
            return call.onNotSent(nowMillis);
        }
    },
    @Bug(plant = "unknown-is-refusal", is = "a member that cannot tell is taken for one that refused")
    UNKNOWN_IS_REFUSAL {
        @Override
        Step onAnswer(BrokenCall call, Answer answer, long nowMillis, long wallMillis) {
            return answer.kind() == Answer.Kind.UNKNOWN
                    ? call.onNotSent(nowMillis)
                    : super.onAnswer(call, answer, nowMillis, wallMillis);
        }
    };

    ClientSession session(ClientId id, Delivery delivery, RuleSet<SafetyRule> rules) {
        return new MutantSession(id, delivery, rules) {
            @Override
            public ClientCall begin(boolean oneway, long timeoutMillis, long nowMillis, long wallMillis) {
                return new BrokenCall(FtsMutant.this, this, oneway, timeoutMillis, nowMillis, wallMillis);
            }
        };
    }

    Step onCopyLost(BrokenCall call, long nowMillis) {
        return call.rightlyLost(nowMillis);
    }

    Step onAnswer(BrokenCall call, Answer answer, long nowMillis, long wallMillis) {
        return call.rightlyAnswered(answer, nowMillis, wallMillis);
    }

    /** A call with the rules bent by the mutant. */
    static final class BrokenCall extends MutantSession.MutantCall {
        private final FtsMutant mutant;

        BrokenCall(
                FtsMutant mutant,
                MutantSession session,
                boolean oneway,
                long timeoutMillis,
                long nowMillis,
                long wallMillis) {
            super(session, oneway, timeoutMillis, nowMillis, wallMillis);
            this.mutant = mutant;
        }

        @Override
        public Step onCopyLost(long nowMillis) {
            return mutant.onCopyLost(this, nowMillis);
        }

        @Override
        public Step onAnswer(Answer answer, long nowMillis, long wallMillis) {
            return mutant.onAnswer(this, answer, nowMillis, wallMillis);
        }

        private Step rightlyLost(long nowMillis) {
            return super.onCopyLost(nowMillis);
        }

        private Step rightlyAnswered(Answer answer, long nowMillis, long wallMillis) {
            return super.onAnswer(answer, nowMillis, wallMillis);
        }
    }
}
