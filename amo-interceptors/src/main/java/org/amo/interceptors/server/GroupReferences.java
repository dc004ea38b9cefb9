package org.amo.interceptors.server;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.amo.base.wire.WireWriter;
import org.amo.core.order.Member;
import org.amo.interceptors.client.DatagramTag;
import org.amo.interceptors.client.GroupTag;
import org.amo.interceptors.jacorb.JacorbAccess;
import org.omg.CORBA.LocalObject;
import org.omg.IOP.TAG_INTERNET_IOP;
import org.omg.IOP.TaggedComponent;
import org.omg.PortableInterceptor.IORInfo;
import org.omg.PortableInterceptor.IORInterceptor;

/**
 * Makes every reference that the server gives out a reference to the group: one IIOP profile, the first configured
 * member as its address and the others as alternate addresses, so that it is the same bytes at every member.
 */
final class GroupReferences extends LocalObject implements IORInterceptor {
    private static final long serialVersionUID = 1L;

    private static final int TAG_ALTERNATE_IIOP_ADDRESS = 3;
    private static final int TAG_FT_GROUP = 27;
    private static final int TAG_FT_PRIMARY = 28;

    private final transient JacorbAccess jacorb;
    private final transient List<Member> members;
    private final transient String group;
    private final transient int sslDistance;
    private final transient boolean udp;
    private final transient Runnable onDestroy;

    /**
     * @param sslDistance from a member's IIOP port to its port for SSL, the same at all members
     * @param udp whether all members take datagrams at the UDP ports with the numbers of their IIOP ports
     */
    GroupReferences(
            JacorbAccess jacorb, String group, List<Member> members, int sslDistance, boolean udp, Runnable onDestroy) {
        this.jacorb = jacorb;
        this.group = group;
        this.members = members;
        this.sslDistance = sslDistance;
        this.udp = udp;
        this.onDestroy = onDestroy;
    }

    /** The application's reference in place of one that JacORB's object adapter made. */
    org.omg.CORBA.Object literal(org.omg.CORBA.Object reference) {
        Member first = members.get(0);
        return isNumeric(first.host())
                ? reference
                : jacorb.withPrimaryAddress(reference, first.host(), first.clientPort());
    }

    /** A name is written by JacORB as the address that it has at this machine. */
    private static boolean isNumeric(String host) {
        return host.indexOf(':') >= 0 || host.matches("[0-9.]+");
    }

    @Override
    public String name() {
        return "amo.group";
    }

    /** JacORB calls it when the ORB has shut down. */
    @Override
    public void destroy() {
        onDestroy.run();
    }

    @Override
    public void establish_components(IORInfo info) {
        jacorb.patchPrimaryAddress(info, members.get(0).host(), members.get(0).clientPort());
        jacorb.patchSslPort(info, members.get(0).clientPort() + sslDistance);
        for (Member member : members.subList(1, members.size())) {
            add(info, TAG_ALTERNATE_IIOP_ADDRESS, alternateAddress(member));
        }
        add(info, TAG_FT_GROUP, group());
        add(info, TAG_FT_PRIMARY, new byte[] {0, 1});
        if (udp) {
            add(info, DatagramTag.TAG, new DatagramTag(group).encode());
        }
    }

    private static void add(IORInfo info, int tag, byte[] data) {
        info.add_ior_component_to_profile(new TaggedComponent(tag, data), TAG_INTERNET_IOP.value);
    }

    /** An encapsulation of a string and an unsigned short. */
    static byte[] alternateAddress(Member member) {
        WireWriter out = new WireWriter(32);
        out.i32(0);
        text(out, member.host());
        align(out, 2);
        out.u8(member.clientPort() >>> 8);
        out.u8(member.clientPort());
        return out.toBytes();
    }

    /** TagFTGroupTaggedComponent: version 1.0, fault tolerance domain, group id, version of the group's reference. */
    byte[] group() {
        WireWriter out = new WireWriter(64);
        out.u8(0);
        out.u8(1);
        out.u8(0);
        align(out, 4);
        text(out, GroupTag.AMO);
        align(out, 8);
        out.i64(GroupTag.groupId(group));
        out.i32(GroupTag.FIRST_VERSION);
        return out.toBytes();
    }

    private static void text(WireWriter out, String value) {
        byte[] bytes = value.getBytes(StandardCharsets.ISO_8859_1);
        out.i32(bytes.length + 1);
        out.raw(bytes, 0, bytes.length);
        out.u8(0);
    }

    private static void align(WireWriter out, int size) {
        while (out.size() % size != 0) {
            out.u8(0);
        }
    }
}
