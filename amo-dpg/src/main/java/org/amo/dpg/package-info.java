/**
 * DPG: totally ordered multicast that does not notice who comes and goes (paper 003). {@link org.amo.dpg.DpgSite}
 * is the front door; docs/protocols/dpg.md maps the paper's symbols to names here.
 */
@NullMarked
package org.amo.dpg;

import org.jspecify.annotations.NullMarked;
