package org.amo.cli.exon;

import java.util.HexFormat;

/**
 * Names the transfer of one file: 128 bits of the SHA-256 of its offer. So a sender that was started again meets the
 * transfer of its predecessor, and another content or name is another transfer.
 */
record TransferKey(long high, long low) {
    /** 32 hexadecimal digits. */
    @Override
    public String toString() {
        return HexFormat.of().toHexDigits(high) + HexFormat.of().toHexDigits(low);
    }
}
