package org.amo.interceptors.status;

import java.lang.management.ManagementFactory;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ObjectName;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Readings as attributes of {@code org.amo:type=replica,group=GROUP,id=ID}. */
final class JmxMetrics implements MetricsPort {
    private static final Logger LOG = LoggerFactory.getLogger(JmxMetrics.class);

    @Override
    public Registration offer(String kind, String group, String id, Supplier<Map<String, Long>> reading) {
        try {
            ObjectName name = new ObjectName(
                    "org.amo:type=" + kind + ",group=" + ObjectName.quote(group) + ",id=" + ObjectName.quote(id));
            ManagementFactory.getPlatformMBeanServer().registerMBean(new Readings(reading), name);
            return () -> unregister(name);
        } catch (JMException e) {
            // No call depends on it.
            LOG.warn("no metrics by JMX for {} {} of {}: {}", kind, id, group, e.toString());
            return () -> {};
        }
    }

    private static void unregister(ObjectName name) {
        try {
            ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
        } catch (JMException e) {
            LOG.debug("{} was gone already", name);
        }
    }

    private record Readings(Supplier<Map<String, Long>> reading) implements DynamicMBean {
        @Override
        public Object getAttribute(String attribute) throws AttributeNotFoundException {
            Long value = reading.get().get(attribute);
            if (value == null) {
                throw new AttributeNotFoundException(attribute);
            }
            return value;
        }

        @Override
        public AttributeList getAttributes(String[] attributes) {
            Map<String, Long> now = reading.get();
            AttributeList list = new AttributeList();
            for (String attribute : attributes) {
                if (now.containsKey(attribute)) {
                    list.add(new Attribute(attribute, now.get(attribute)));
                }
            }
            return list;
        }

        @Override
        public MBeanInfo getMBeanInfo() {
            MBeanAttributeInfo[] attributes = new TreeMap<>(reading.get())
                    .keySet().stream()
                            .map(name -> new MBeanAttributeInfo(name, "long", name, true, false, false))
                            .toArray(MBeanAttributeInfo[]::new);
            return new MBeanInfo(
                    Readings.class.getName(), "Metrics of amo, docs/reference/status.md", attributes, null, null, null);
        }

        @Override
        public void setAttribute(Attribute attribute) throws AttributeNotFoundException {
            throw new AttributeNotFoundException(attribute.getName() + " cannot be set");
        }

        @Override
        public AttributeList setAttributes(AttributeList attributes) {
            return new AttributeList();
        }

        @Override
        public Object invoke(String action, Object[] parameters, String[] signature) {
            throw new UnsupportedOperationException(action);
        }
    }
}
