package org.amo.wrap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ServerAgentTest {
    @TempDir
    Path folder;

    @Test
    void anOptionThatAScriptRepeatsStartsOneAgent() throws Exception {
        Files.createFile(folder.resolve(ServerAgent.SETTINGS));
        List<String> calls = new ArrayList<>();
        Instrumentation machine = (Instrumentation) Proxy.newProxyInstance(
                ServerAgentTest.class.getClassLoader(),
                new Class<?>[] {Instrumentation.class},
                (self, method, with) -> {
                    calls.add(method.getName());
                    return null;
                });
        ServerAgent.premain(folder.toString(), machine);
        ServerAgent.premain(folder.toString(), machine);
        assertEquals(List.of("addTransformer"), calls);
    }
}
