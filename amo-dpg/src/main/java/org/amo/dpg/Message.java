package org.amo.dpg;

/** A 'message' PDU. The body is handed over uncopied. */
public record Message(Tag tag, byte[] body) {}
