package org.amo.lab;

import java.util.List;
import org.amo.cli.CommandProvider;
import org.amo.lab.attack.AttackCommand;
import org.amo.lab.chaos.ChaosCommand;
import org.amo.lab.demo.DemoCommand;

/** The commands of the laboratory. */
public final class LabCommands implements CommandProvider {
    @Override
    public List<Class<?>> first() {
        return List.of(DemoCommand.class);
    }

    @Override
    public List<Class<?>> last() {
        return List.of(
                SimCommand.class,
                ChaosCommand.class,
                AttackCommand.class,
                KvCommand.class,
                GridCommand.class,
                BenchCommand.class);
    }
}
