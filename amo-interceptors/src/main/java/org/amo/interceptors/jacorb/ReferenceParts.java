package org.amo.interceptors.jacorb;

import java.util.List;
import java.util.Optional;

/**
 * The parts of an object reference that describe the group behind it.
 *
 * @param objectKey the same at every member. Not copied
 * @param addresses the profile's own address, then its alternates, in the order of the reference
 * @param ftGroup the data of its TAG_FT_GROUP component, if it has one. Not copied
 * @param datagrams the data of its component about datagrams, if it has one. Not copied
 */
public record ReferenceParts(
        byte[] objectKey, List<MemberAddress> addresses, Optional<byte[]> ftGroup, Optional<byte[]> datagrams) {}
