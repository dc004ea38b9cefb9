package org.amo.core.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.amo.core.request.Budget;
import org.amo.core.request.Refusal;
import org.amo.core.request.RequestId;
import org.amo.core.sack.FinishedNumbers;

/** Remembers the effects of a client. All calls but the one named "large" fit a datagram. */
class RecordedEffects implements GroupClientEffects<String> {
    final List<String> done = new ArrayList<>();
    final List<String> ways = new ArrayList<>();
    final List<Attempt> sent = new ArrayList<>();
    final List<FinishedNumbers> acknowledged = new ArrayList<>();

    @Override
    public void connect(int member) {
        ways.add("connect " + member);
    }

    @Override
    public void send(int member, String caller, Attempt copy) {
        ways.add("tcp " + member);
        sent.add(copy);
    }

    @Override
    public boolean fitsDatagram(int member, String caller) {
        return !caller.equals("large");
    }

    @Override
    public void sendDatagram(int member, String caller, Attempt copy) {
        ways.add("udp " + member);
        sent.add(copy);
    }

    @Override
    public void acknowledge(int member, FinishedNumbers finished) {
        ways.add("tcp ack " + member);
        acknowledged.add(finished);
    }

    @Override
    public void acknowledgeByDatagram(int member, long timestampMillis, FinishedNumbers finished) {
        ways.add("udp ack " + member);
        acknowledged.add(finished);
    }

    @Override
    public void replied(String caller, RequestId id, byte[] reply) {
        done.add(caller + " ok");
    }

    @Override
    public void notExecuted(String caller, RequestId id, Optional<Refusal> reason, Optional<Budget> budget) {
        done.add(caller + " not executed " + reason);
    }

    @Override
    public void unknown(String caller, RequestId id, Optional<Refusal> reason) {
        done.add(caller + " unknown " + reason);
    }
}
