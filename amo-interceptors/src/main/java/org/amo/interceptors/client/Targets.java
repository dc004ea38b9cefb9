package org.amo.interceptors.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import org.amo.base.ClientId;
import org.amo.base.wire.MalformedFrameException;
import org.amo.interceptors.jacorb.JacorbClientAccess;
import org.amo.interceptors.jacorb.MemberAddress;
import org.amo.interceptors.jacorb.ReferenceParts;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.INV_OBJREF;

/** Which group a reference belongs to, if to any. Any thread. */
final class Targets {
    private final ClientId client;
    private final ClientSettings settings;
    private final List<MemberAddress> configured;
    private final Map<GroupKey, ReplicatedGroup> groups = new ConcurrentHashMap<>();

    /** Weak keys: a reference is forgotten with the last stub that holds it. */
    private final Map<Object, Target> known = Collections.synchronizedMap(new WeakHashMap<>());

    /** Where plain references were forwarded to, as far as that is a group. Weak keys, as above. */
    private final Map<Object, Object> forwards = Collections.synchronizedMap(new WeakHashMap<>());

    /** A group by its tag, or by the server's name for references that the configured members publish. */
    private record GroupKey(String domain, long groupId, String server) {}

    /**
     * The resolved target of a reference.
     *
     * @param group empty for a plain object
     * @param objectKey the same at every member. Not copied
     * @param datagrams present if the members take first calls as datagrams
     */
    record Target(Optional<ReplicatedGroup> group, byte[] objectKey, Optional<DatagramTag> datagrams) {
        static final Target PLAIN = new Target(Optional.empty(), new byte[0], Optional.empty());
    }

    Targets(ClientId client, ClientSettings settings) {
        this.client = client;
        this.settings = settings;
        this.configured = settings.members().stream()
                .map(ClientSettings.NamedMember::address)
                .toList();
    }

    /** This client's name in histories and metrics. */
    String clientName() {
        return settings.clientName().orElse(client.toString().substring(0, 8));
    }

    Target of(Object reference) {
        Target target = known.get(reference);
        if (target == null) {
            target = JacorbClientAccess.parts(reference).map(this::resolve).orElse(Target.PLAIN);
            known.put(reference, target);
        }
        return target;
    }

    /** A server sent a call of the plain reference on to that one of a group. */
    void forwarded(Object plain, Object ofGroup) {
        forwards.put(plain, ofGroup);
    }

    /** The reference of a group that the plain one was forwarded to last; empty if it was not. */
    Optional<Object> forwardOf(Object plain) {
        return Optional.ofNullable(forwards.get(plain));
    }

    Collection<ReplicatedGroup> groups() {
        return groups.values();
    }

    private Target resolve(ReferenceParts parts) {
        Optional<GroupTag> tag = parts.ftGroup().map(Targets::decode);
        boolean ofConfigured = !Collections.disjoint(parts.addresses(), configured);
        if (tag.isEmpty() && !ofConfigured) {
            return Target.PLAIN;
        }
        GroupKey key = tag.map(value -> new GroupKey(value.domain(), value.groupId(), ""))
                .orElseGet(() -> new GroupKey("", 0, server(parts.objectKey())));
        ReplicatedGroup group = groups.computeIfAbsent(key, absent -> new ReplicatedGroup(client, settings));
        group.learn(members(parts, ofConfigured), tag.map(GroupTag::version).orElse(0));
        return new Target(
                Optional.of(group), parts.objectKey(), parts.datagrams().flatMap(Targets::datagrams));
    }

    private List<MemberAddress> members(ReferenceParts parts, boolean ofConfigured) {
        List<MemberAddress> addresses = new ArrayList<>(parts.addresses());
        return ofConfigured && addresses.size() < configured.size() ? configured : addresses;
    }

    /** Without it, calls go over IIOP. */
    private static Optional<DatagramTag> datagrams(byte[] component) {
        try {
            return Optional.of(DatagramTag.decode(component));
        } catch (MalformedFrameException ofAnotherVersion) {
            return Optional.empty();
        }
    }

    private static GroupTag decode(byte[] component) {
        try {
            return GroupTag.decode(component);
        } catch (MalformedFrameException malformed) {
            // Going on without it would be a plain call to a replicated object: at most once would be lost silently.
            throw new INV_OBJREF(
                    "the reference is damaged: " + malformed.getMessage(), 0, CompletionStatus.COMPLETED_NO);
        }
    }

    /** The part of the object key before its first slash: JacORB writes the server's implname there. */
    private static String server(byte[] objectKey) {
        int end = 0;
        while (end < objectKey.length && objectKey[end] != '/') {
            end++;
        }
        return Arrays.toString(Arrays.copyOf(objectKey, end));
    }
}
