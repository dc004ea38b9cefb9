/**
 * Ways to prune a reply cache, side by side. The replica itself prunes by acknowledgement and timeout (Friedman and Hadad).
 */
@NullMarked
package org.amo.core.pruning;

import org.jspecify.annotations.NullMarked;
