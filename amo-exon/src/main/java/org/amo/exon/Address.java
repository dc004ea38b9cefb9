package org.amo.exon;

/** Where a datagram can be sent: the shell's business. Immutable; equal addresses are {@code equals}. */
public interface Address {}
