package org.amo.replication.rpc;

/**
 * Why a member does not take a client.
 *
 * @param lasting the user's mistake: it is of no use to try again
 * @param why one line: the cause, and the remedy
 */
public record RpcRefusal(boolean lasting, String why) {}
