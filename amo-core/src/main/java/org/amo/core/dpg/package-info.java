/**
 * DPG: totally ordered multicast that does not notice who comes and goes (paper 003). {@link org.amo.core.dpg.DpgSite}
 * is the front door; docs/protocols/dpg.md maps the paper's symbols to names here.
 */
@NullMarked
package org.amo.core.dpg;

import org.jspecify.annotations.NullMarked;
