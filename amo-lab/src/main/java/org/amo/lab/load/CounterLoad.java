package org.amo.lab.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A client process of the counters: each thread has a client of its own. It leaves its own records in a file. */
final class CounterLoad {
    private CounterLoad() {}

    public static void main(String[] args) throws IOException, InterruptedException, CallFailedException {
        LoadSettings settings = LoadSettings.parse(args);
        CounterReference reference = CounterReference.read(settings.reference());
        List<LoadedService> services = new ArrayList<>();
        for (int i = 0; i < settings.shape().threads(); i++) {
            services.add(reference.open());
        }
        LoadRun.run(services, settings);
        services.forEach(LoadedService::close);
        LoadRun.say("done");
    }
}
