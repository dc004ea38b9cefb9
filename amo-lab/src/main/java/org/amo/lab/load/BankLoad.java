package org.amo.lab.load;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.amo.examples.bank.idl.BankHelper;
import org.omg.CORBA.ORB;

/**
 * A client process of the bank. An ordinary CORBA program: run plainly it loads a plain bank. It leaves its own records in
 * a file.
 */
final class BankLoad {
    private BankLoad() {}

    public static void main(String[] args) throws IOException, InterruptedException, CallFailedException {
        LoadSettings settings = LoadSettings.parse(args);
        List<ORB> orbs = new ArrayList<>();
        for (int i = 0; i < (settings.shape().ownOrbs() ? settings.shape().threads() : 1); i++) {
            orbs.add(CallObserver.orb());
        }
        String reference = Files.readString(settings.reference()).strip();
        List<BankService> banks = new ArrayList<>();
        for (int i = 0; i < settings.shape().threads(); i++) {
            banks.add(new BankService(
                    BankHelper.unchecked_narrow(orbs.get(i % orbs.size()).string_to_object(reference))));
        }
        LoadRun.run(banks, settings);
        orbs.forEach(orb -> orb.shutdown(true));
        LoadRun.say("done");
    }
}
