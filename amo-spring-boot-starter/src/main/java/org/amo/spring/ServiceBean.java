package org.amo.spring;

import java.util.function.Supplier;

/**
 * A service of this application.
 *
 * @param bean its name, for messages
 * @param type the interface that clients call
 * @param objects makes a new object at each call
 */
record ServiceBean<T>(String bean, String group, Class<T> type, Supplier<T> objects) {}
