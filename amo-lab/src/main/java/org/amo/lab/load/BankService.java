package org.amo.lab.load;

import java.util.LinkedHashMap;
import java.util.Map;
import org.amo.examples.bank.idl.BadAmount;
import org.amo.examples.bank.idl.Balance;
import org.amo.examples.bank.idl.Bank;
import org.omg.CORBA.CompletionStatus;
import org.omg.CORBA.SystemException;

/** The bank, by CORBA. */
final class BankService implements LoadedService {
    private static final Names NAMES = new Names("bank", "deposit", "transfer", "balances");

    private final Bank bank;

    BankService(Bank bank) {
        this.bank = bank;
    }

    @Override
    public Names names() {
        return NAMES;
    }

    @Override
    public long deposit(String account, long amount) throws CallFailedException {
        try {
            return bank.deposit(account, amount);
        } catch (SystemException e) {
            throw failed(e);
        } catch (BadAmount e) {
            throw new IllegalStateException("the bank refused a deposit of " + amount, e);
        }
    }

    @Override
    public boolean transfer(String from, String to, long amount) throws CallFailedException {
        try {
            return bank.transfer(from, to, amount);
        } catch (SystemException e) {
            throw failed(e);
        } catch (BadAmount e) {
            throw new IllegalStateException("the bank refused a transfer of " + amount, e);
        }
    }

    @Override
    public Map<String, Long> balances() throws CallFailedException {
        try {
            Map<String, Long> all = new LinkedHashMap<>();
            for (Balance balance : bank.balances()) {
                all.put(balance.account, balance.amount);
            }
            return all;
        } catch (SystemException e) {
            throw failed(e);
        }
    }

    @Override
    public void listen(CopyListener listener) {
        CallObserver.listen(listener);
    }

    @Override
    public String servedBy() {
        return CallObserver.servedBy();
    }

    private static CallFailedException failed(SystemException e) {
        // One line for all calls that ended alike: without their ids.
        String text = String.valueOf(e.getMessage()).replaceAll("[0-9a-f]{32}-[0-9]+", "...");
        String kind = e.getClass().getSimpleName();
        return new CallFailedException(
                e.completed == CompletionStatus.COMPLETED_NO,
                kind,
                kind + " minor 0x" + Integer.toHexString(e.minor) + " " + text,
                e);
    }
}
