/**
 * Replicas, clients, a kill and a verdict, in real processes.
 */
@NullMarked
package org.amo.cli.demo;

import org.jspecify.annotations.NullMarked;
