package org.amo.scmp;

import java.util.function.Supplier;
import org.amo.base.ClientId;
import org.amo.sim.rules.RuleSet;

/** Clients and servers with planted bugs. They stand in the package of the sound ones, so that the rules need not be open to users. */
final class RpcMutants {
    private RpcMutants() {}

    /** Without a planted bug the server is the one that is shipped. */
    public static RpcServer server(
            RuleSet<ScmpRule> rules,
            RpcServerOptions options,
            StartModes.Beginning beginning,
            RpcServerEffects effects) {
        return rules.allHold()
                ? new RpcServer(options, beginning, effects)
                : new MutantServer(rules, options, beginning, effects);
    }

    /** Without a planted bug the client is the one that is shipped. */
    public static RpcClient client(
            RuleSet<ScmpRule> rules, RpcClientOptions options, Supplier<ClientId> ids, RpcClientEffects effects) {
        return rules.allHold() ? new RpcClient(options, ids, effects) : new MutantClient(rules, options, ids, effects);
    }

    private static final class MutantServer extends RpcServer {
        private final RuleSet<ScmpRule> rules;

        MutantServer(
                RuleSet<ScmpRule> rules,
                RpcServerOptions options,
                StartModes.Beginning beginning,
                RpcServerEffects effects) {
            super(options, beginning, effects);
            this.rules = rules;
        }

        @Override
        boolean acknowledges(int slot, long timestampMicros) {
            return !rules.holds(ScmpRule.REPLY_ACK_HAS_TIMESTAMP) || super.acknowledges(slot, timestampMicros);
        }

        @Override
        boolean completes(int slot, long timestampMicros) {
            return !rules.holds(ScmpRule.COMPLETION_HAS_TIMESTAMP) || super.completes(slot, timestampMicros);
        }

        @Override
        void overloaded(CallPeer from, Call call, int known, long nowMicros) {
            if (!rules.holds(ScmpRule.REFUSAL_LEAVES_NO_TRACE) && hasEntry(known, nowMicros)) {
                remember(from, call, known);
            }
            super.overloaded(from, call, known, nowMicros);
        }

        @Override
        boolean isAnswered(long timestampMicros, long presentMicros) {
            return !rules.holds(ScmpRule.ANSWER_NEEDS_TIMESTAMP) || super.isAnswered(timestampMicros, presentMicros);
        }

        @Override
        boolean mayForget(int slot, long nowMicros) {
            return (isComputing(slot) && !rules.holds(ScmpRule.COMPUTING_IS_KEPT)) || super.mayForget(slot, nowMicros);
        }
    }

    private static final class MutantClient extends RpcClient {
        private final RuleSet<ScmpRule> rules;

        MutantClient(
                RuleSet<ScmpRule> rules, RpcClientOptions options, Supplier<ClientId> ids, RpcClientEffects effects) {
            super(options, ids, effects);
            this.rules = rules;
        }

        @Override
        long earliestMicros(ClientConnection line, long nowMicros) {
            return rules.holds(ScmpRule.REFUSALS_ARE_LATE) ? super.earliestMicros(line, nowMicros) : nowMicros;
        }

        @Override
        boolean judgesPresentOffset(ClientConnection line) {
            return !rules.holds(ScmpRule.NEWER_CORRECTION_STAYS) || super.judgesPresentOffset(line);
        }

        @Override
        Call again(ClientConnection line, long nowMicros) {
            return rules.holds(ScmpRule.COPIES_ARE_EQUAL)
                    ? super.again(line, nowMicros)
                    : new Call(line.connection, nextTimestampMicros(nowMicros), line.call.service(), line.call.body());
        }

        @Override
        boolean answers(ClientConnection line, long timestampMicros) {
            return !rules.holds(ScmpRule.CLIENT_MATCHES_TIMESTAMP) || super.answers(line, timestampMicros);
        }
    }
}
