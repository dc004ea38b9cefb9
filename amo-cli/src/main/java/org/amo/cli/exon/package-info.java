/** Files and lines over Exon: the commands of {@code amo exon}. Start at {@link org.amo.cli.exon.FileSender} and {@link org.amo.cli.exon.ReceivingFolder}. */
@NullMarked
package org.amo.cli.exon;

import org.jspecify.annotations.NullMarked;
