package org.amo.observe;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.AttributeNotFoundException;
import javax.management.DynamicMBean;
import javax.management.JMException;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.ObjectName;
import org.amo.base.observe.Observed;
import org.amo.base.observe.Reading;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Readings as attributes of {@code org.amo:type=KIND,group=GROUP,id=ID}. An attribute's name is the metric's, with the values of the
 * labels behind it: {@code amo_replica_refusals_total.STALE}.
 */
final class JmxReadings implements DynamicMBean {
    private static final Logger LOG = LoggerFactory.getLogger(JmxReadings.class);

    private final Observed observed;

    private JmxReadings(Observed observed) {
        this.observed = observed;
    }

    /** @return ends the offer. If there can be none it is logged: no call depends on metrics */
    static Runnable offer(Observed observed) {
        try {
            ObjectName name = new ObjectName("org.amo:type=" + observed.kind() + ",group="
                    + ObjectName.quote(observed.group()) + ",id=" + ObjectName.quote(observed.id()));
            ManagementFactory.getPlatformMBeanServer().registerMBean(new JmxReadings(observed), name);
            return () -> unregister(name);
        } catch (JMException e) {
            LOG.warn(
                    "no metrics by JMX for {} {} of {}: {}",
                    observed.kind(),
                    observed.id(),
                    observed.group(),
                    e.toString());
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

    private Map<String, Reading> now() {
        Map<String, Reading> now = new LinkedHashMap<>();
        for (Reading reading : observed.readings()) {
            now.put(reading.fullName(), reading);
        }
        return now;
    }

    @Override
    public Object getAttribute(String attribute) throws AttributeNotFoundException {
        Reading reading = now().get(attribute);
        if (reading == null) {
            throw new AttributeNotFoundException(attribute);
        }
        return reading.value();
    }

    @Override
    public AttributeList getAttributes(String[] attributes) {
        Map<String, Reading> now = now();
        AttributeList list = new AttributeList();
        for (String attribute : attributes) {
            Reading reading = now.get(attribute);
            if (reading != null) {
                list.add(new Attribute(attribute, reading.value()));
            }
        }
        return list;
    }

    @Override
    public MBeanInfo getMBeanInfo() {
        MBeanAttributeInfo[] attributes = now().entrySet().stream()
                .map(each -> new MBeanAttributeInfo(
                        each.getKey(),
                        each.getValue().value() instanceof Long ? "long" : "double",
                        each.getValue().help(),
                        true,
                        false,
                        false))
                .toArray(MBeanAttributeInfo[]::new);
        return new MBeanInfo(
                JmxReadings.class.getName(), "Metrics of amo, docs/reference/metrics.md", attributes, null, null, null);
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
