package org.amo.replication.order.group;

import java.util.IllegalFormatException;
import java.util.Locale;
import org.jgroups.logging.CustomLogFactory;
import org.jgroups.logging.Log;
import org.jgroups.logging.LogFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends JGroups' log output to SLF4J at DEBUG. JGroups warns of everyday events (a dead member's connection refused, a
 * view that came twice), and prints the warnings to the standard output of the embedding program. Events on which an
 * operator should act are logged by amo itself.
 */
public final class QuietJGroups implements CustomLogFactory {

    private QuietJGroups() {}

    /** To be called before any protocol is made. Takes effect once for the process, and not where the embedding program has set a factory of its own. */
    public static synchronized void install() {
        if (LogFactory.getCustomLogFactory() == null) {
            LogFactory.setCustomLogFactory(new QuietJGroups());
        }
    }

    @Override
    public Log getLog(Class<?> type) {
        return getLog(type.getName());
    }

    @Override
    public Log getLog(String category) {
        return new Quiet(LoggerFactory.getLogger(category));
    }

    private record Quiet(Logger logger) implements Log {

        @Override
        public boolean isFatalEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return logger.isDebugEnabled();
        }

        @Override
        public boolean isWarnEnabled() {
            return logger.isDebugEnabled();
        }

        @Override
        public boolean isInfoEnabled() {
            return logger.isDebugEnabled();
        }

        @Override
        public boolean isDebugEnabled() {
            return logger.isTraceEnabled();
        }

        @Override
        public boolean isTraceEnabled() {
            return logger.isTraceEnabled();
        }

        @Override
        public void fatal(String message) {
            logger.warn("{}", message);
        }

        @Override
        public void fatal(String format, Object... arguments) {
            logger.warn("{}", text(format, arguments));
        }

        @Override
        public void fatal(String message, Throwable cause) {
            logger.warn(message, cause);
        }

        @Override
        public void error(String message) {
            logger.debug("{}", message);
        }

        @Override
        public void error(String format, Object... arguments) {
            debug(format, arguments, isErrorEnabled());
        }

        @Override
        public void error(String message, Throwable cause) {
            logger.debug(message, cause);
        }

        @Override
        public void warn(String message) {
            logger.debug("{}", message);
        }

        @Override
        public void warn(String format, Object... arguments) {
            debug(format, arguments, isWarnEnabled());
        }

        @Override
        public void warn(String message, Throwable cause) {
            logger.debug(message, cause);
        }

        @Override
        public void info(String message) {
            logger.debug("{}", message);
        }

        @Override
        public void info(String format, Object... arguments) {
            debug(format, arguments, isInfoEnabled());
        }

        @Override
        public void debug(String message) {
            logger.trace("{}", message);
        }

        @Override
        public void debug(String format, Object... arguments) {
            if (isDebugEnabled()) {
                logger.trace("{}", text(format, arguments));
            }
        }

        @Override
        public void debug(String message, Throwable cause) {
            logger.trace(message, cause);
        }

        @Override
        public void trace(Object message) {
            logger.trace("{}", message);
        }

        @Override
        public void trace(String message) {
            logger.trace("{}", message);
        }

        @Override
        public void trace(String format, Object... arguments) {
            if (isTraceEnabled()) {
                logger.trace("{}", text(format, arguments));
            }
        }

        @Override
        public void trace(String message, Throwable cause) {
            logger.trace(message, cause);
        }

        @Override
        public void setLevel(String level) {
            // The level belongs to the configuration of SLF4J.
        }

        @Override
        public String getLevel() {
            return logger.isTraceEnabled() ? "trace" : logger.isDebugEnabled() ? "debug" : "warn";
        }

        private void debug(String format, Object[] arguments, boolean enabled) {
            if (enabled) {
                logger.debug("{}", text(format, arguments));
            }
        }

        private static String text(String format, Object... arguments) {
            try {
                return String.format(Locale.ROOT, format, arguments);
            } catch (IllegalFormatException e) {
                return format;
            }
        }
    }
}
