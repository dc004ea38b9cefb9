package org.amo.core.request;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The budget for which a request was refused OVERLOADED. All but the last four are decided in the order. */
public enum Budget {
    /** Live entries of the client: it does not acknowledge its replies. */
    CLIENT_ENTRIES(1, "the client's live entries are used up; acknowledge replies or make fewer calls at a time"),
    /** Resolved ranges of the client: its acknowledgements leave too many gaps. */
    CLIENT_RANGES(2, "the client's acknowledged ranges are used up; acknowledge the numbers between them"),
    /** The client's share of the bytes. */
    CLIENT_BYTES(3, "the client's share of the bytes is used up; acknowledge replies or make fewer calls at a time"),
    /** The share of the bytes of the client's principal. */
    PRINCIPAL_BYTES(4, "the share of the bytes of the client's principal is used up; give it a larger weight"),
    /** The bytes of all clients. */
    GROUP_BYTES(5, "the group's bytes are used up; raise the budget"),
    /** The principal's share of the client records. */
    PRINCIPAL_CLIENTS(6, "the share of the client ids of the client's principal is used up; use one id for many calls"),
    /** The client records of the group. */
    GROUP_CLIENTS(7, "the group's client ids are used up; raise their number"),
    /** Calls a second of the client. */
    CLIENT_RATE(8, "the client makes more calls a second than the group lets one client"),
    /** Calls a second of the principal. */
    PRINCIPAL_RATE(9, "the client's principal makes more calls a second than the group lets one principal"),
    /** The reply store of the member that received the request. */
    MEMBER_REPLIES(10, "this member has no room for more replies or records of clients; another one may have"),
    /** No entry of the order could be made. */
    ORDER(11, "this member could not have the request ordered: no majority, or it is joining or closing"),
    /** The client's own calls under way; the request did not leave the client. */
    CALLS_UNDER_WAY(12, "the client has as many calls under way as its options allow"),
    /** No majority of the members has the same state. */
    DIVERGENCE(
            13, "the members' states differ and none has a majority, so the group takes no requests; see amo status");

    private static final Map<Integer, Budget> BY_CODE =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(Budget::code, Function.identity()));

    private final int code;
    private final String sentence;

    Budget(int code, String sentence) {
        this.code = code;
        this.sentence = sentence;
    }

    /** Its number in every wire format: 1 and up. */
    public int code() {
        return code;
    }

    /** The cause and its remedy, for a message. */
    public String sentence() {
        return sentence;
    }

    /** Whether another member may have room: the refusal was not decided in the order. */
    public boolean isLocal() {
        return code >= MEMBER_REPLIES.code;
    }

    /** The budget of a code, if there is one. */
    public static Optional<Budget> ofCode(int code) {
        return Optional.ofNullable(BY_CODE.get(code));
    }
}
