package org.amo.scmp;

/**
 * The reply of an execution; kept until the client has it.
 *
 * @param failed the service threw, and the body is its message in UTF-8
 * @param body the result
 */
public record Reply(boolean failed, byte[] body) {}
