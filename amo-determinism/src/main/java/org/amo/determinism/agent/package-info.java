/** The agent that rewrites the application's classes as they are loaded. */
@NullMarked
package org.amo.determinism.agent;

import org.jspecify.annotations.NullMarked;
