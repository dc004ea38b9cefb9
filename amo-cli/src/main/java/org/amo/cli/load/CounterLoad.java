package org.amo.cli.load;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** A client process of the counters: each thread has a plain Java client of its own. It leaves its own records in a file. */
public final class CounterLoad {
    private CounterLoad() {}

    public static void main(String[] args) throws IOException, InterruptedException, CallFailedException {
        LoadSettings settings = LoadSettings.parse(args);
        CounterReference reference = CounterReference.read(settings.reference());
        List<CounterService> services = new ArrayList<>();
        for (int i = 0; i < settings.shape().threads(); i++) {
            services.add(new CounterService(reference));
        }
        LoadReport report = LoadRun.run(services, settings);
        new ObjectMapper().writeValue(settings.report().toFile(), report);
        services.forEach(CounterService::close);
        LoadRun.say("done");
    }
}
