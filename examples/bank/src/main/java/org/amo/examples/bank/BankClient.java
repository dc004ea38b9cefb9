package org.amo.examples.bank;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Balance;
import org.amo.examples.bank.idl.Bank;
import org.amo.examples.bank.idl.BankHelper;
import org.amo.examples.bank.idl.LedgerLine;
import org.omg.CORBA.ORB;

/** Calls the bank from the command line and prints its answers. */
public final class BankClient {
    private static final String USAGE = String.join(
            System.lineSeparator(),
            "usage: BankClient IORFILE COMMAND, where COMMAND is one of",
            "  deposit ACCOUNT AMOUNT [TIMES]   make a deposit, or as many as said, and print each new balance",
            "  transfer FROM TO AMOUNT          print true or false",
            "  balances                         print every account",
            "  books                            print what the bank counted for every account",
            "  note ACCOUNT                     leave a remark; no answer",
            "  name                             print the bank's name");

    private BankClient() {}

    public static void main(String[] args) throws IOException {
        if (args.length < 2) {
            usage();
        }
        String reference = args[0].startsWith("IOR:") || args[0].startsWith("corbaloc:")
                ? args[0]
                : Files.readString(Path.of(args[0])).strip();
        ORB orb = ORB.init(args, null);
        Bank bank = BankHelper.narrow(orb.string_to_object(reference));
        try {
            run(bank, args);
        } catch (BadAmount e) {
            System.out.println("the bank refuses " + e.amount + ": " + e.reason);
            System.exit(1);
        }
        orb.shutdown(true);
    }

    private static void run(Bank bank, String[] args) throws BadAmount {
        String command = args[1] + "/" + (args.length - 2);
        switch (command) {
            case "deposit/2" -> deposit(bank, args[2], Long.parseLong(args[3]), 1);
            case "deposit/3" -> deposit(bank, args[2], Long.parseLong(args[3]), Long.parseLong(args[4]));
            case "transfer/3" -> System.out.println(bank.transfer(args[2], args[3], Long.parseLong(args[4])));
            case "balances/0" -> {
                for (Balance balance : bank.balances()) {
                    System.out.println(balance.account + " " + balance.amount);
                }
            }
            case "books/0" -> {
                for (LedgerLine line : bank.books().lines) {
                    System.out.println(line.account + " balance=" + line.balance + " deposits=" + line.deposits
                            + " deposited=" + line.deposited + " transfersOut=" + line.transfersOut + " transfersIn="
                            + line.transfersIn + " notes=" + line.notes + " chain=" + Long.toHexString(line.chain));
                }
            }
            case "note/1" -> bank.note(args[2]);
            case "name/0" -> System.out.println(bank.name());
            default -> usage();
        }
    }

    private static void deposit(Bank bank, String account, long amount, long times) throws BadAmount {
        for (long i = 0; i < times; i++) {
            System.out.println(bank.deposit(account, amount));
        }
    }

    private static void usage() {
        System.err.println(USAGE);
        System.exit(2);
    }
}
