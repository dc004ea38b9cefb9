package org.amo.core.order;

/**
 * A snapshot, which replaces all entries up to a position.
 *
 * @param position of the last entry in it
 * @param replica the replica's part ({@code docs/wire/snapshot.md})
 * @param servant the servant's state at the same position
 */
public record LogSnapshot(long position, byte[] replica, byte[] servant) {}
