/** Replicas, clients, a kill and a verdict, in real processes. */
@NullMarked
package org.amo.lab.demo;

import org.jspecify.annotations.NullMarked;
