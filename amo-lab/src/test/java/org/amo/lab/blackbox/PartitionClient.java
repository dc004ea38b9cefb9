package org.amo.lab.blackbox;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.amo.core.order.Member;
import org.amo.core.request.Answer;
import org.amo.core.wire.RequestContext;
import org.amo.examples.bank.idl.Bank;
import org.amo.lab.blackbox.RawClient.Op;

/**
 * A client in a namespace of its own, told by its standard input what to do: {@code load} deposits one after another
 * until {@code rest}, {@code raw ID NUMBER LIFE} sends one copy to one member, {@code status ID}.
 */
final class PartitionClient {
    private static final Path NOWHERE = Path.of(".");
    private static final AtomicBoolean RESTING = new AtomicBoolean();

    private PartitionClient() {}

    public static void main(String[] arguments) throws IOException {
        List<Member> members = Member.parseList(arguments[0]);
        String reference = Files.readString(Path.of(arguments[1])).strip();
        RawClient raw = new RawClient(reference);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] words = line.split(" ");
            try {
                say(answer(words, members, reference, raw));
            } catch (RuntimeException e) {
                say(words[0] + " failed " + e);
            }
        }
        System.exit(0);
    }

    private static String answer(String[] words, List<Member> members, String reference, RawClient raw) {
        if (words[0].equals("load")) {
            load(reference);
            return "loading";
        }
        if (words[0].equals("rest")) {
            RESTING.set(true);
            return "resting";
        }
        Member member = members.stream()
                .filter(one -> one.id().equals(words[1]))
                .findFirst()
                .orElseThrow();
        MemberProcess address = new MemberProcess(member, NOWHERE);
        switch (words[0]) {
            case "learn" -> {
                raw.learn(address);
                return "learned";
            }
            case "raw" -> {
                long timestamp = raw.timestamp();
                RequestContext.Call call = new RequestContext.Call(
                        Long.parseLong(words[2]), timestamp, timestamp + Long.parseLong(words[3]));
                Answer answer = raw.send(address, call, Op.deposit("raw", 1)).amo();
                return "raw " + raw.requestId(call) + " " + answer.kind() + " "
                        + answer.refusal().map(Enum::name).orElse("-");
            }
            case "status" -> {
                return "status "
                        + Status.ask(member)
                                .map(Status::json)
                                .map(Object::toString)
                                .orElse("none");
            }
            default -> throw new IllegalArgumentException(words[0]);
        }
    }

    private static void load(String reference) {
        Thread thread = new Thread(() -> {
            try (Orb orb = Orb.client(60_000, Map.of())) {
                Bank bank = orb.bank(reference);
                for (long sum = 1; !RESTING.get(); sum++) {
                    long balance = bank.deposit("load", 1);
                    say(balance == sum ? "ok " + sum : "WRONG " + balance + " instead of " + sum);
                    Pace.pause(5);
                }
            } catch (Exception | Error e) {
                say("EXCEPTION " + e);
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
