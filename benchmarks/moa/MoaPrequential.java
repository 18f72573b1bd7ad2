import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import moa.classifiers.AbstractClassifier;

/**
 * Predicts and learns each row with one of MOA's classifiers.
 *
 * <p>Usage: MoaPrequential rows.bin N_ROWS VALUES CLASS OPTIONS SEED LIMIT predicted.bin
 *
 * <ul>
 *   <li>rows.bin: little-endian doubles, row by row, the class last as 0, 1, 2 ...
 *   <li>VALUES: for each column, the class last, its number of categories, 0 if it is numeric,
 *       separated by commas
 *   <li>CLASS: a class of moa.classifiers, with its package: trees.HoeffdingTree
 *   <li>OPTIONS: those of the classifier, as one argument
 *   <li>LIMIT: CPU seconds after which it gives up
 *   <li>predicted.bin: written; for each row the predicted class and the probability of the true
 *       class, as big-endian doubles. Votes are divided by their sum; without any vote, all classes
 *       have the same probability.
 * </ul>
 *
 * <p>Prints the CPU seconds of the thread that predicts and learns, and the rows that it learned, as
 * JSON.
 */
public class MoaPrequential {
    private static final int ROWS_BETWEEN_CHECKS = 100;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    public static void main(String[] args) throws Exception {
        final int nRows = Integer.parseInt(args[1]);
        final String[] values = args[2].split(",");
        final int nClasses = Integer.parseInt(values[values.length - 1]);
        final InstancesHeader header = header(values);
        final Instance[] rows = read(Path.of(args[0]), nRows, header, values.length);
        final AbstractClassifier model = (AbstractClassifier)
            Class.forName("moa.classifiers." + args[3]).getDeclaredConstructor().newInstance();
        model.getOptions().setViaCLIString(args[4]);
        model.setModelContext(header);
        model.setRandomSeed(Integer.parseInt(args[5]));
        model.prepareForUse();

        final int[] predicted = new int[nRows];
        final double[] probability = new double[nRows];
        final long start = THREADS.getCurrentThreadCpuTime();
        final long end = start + (long) (1e9 * Double.parseDouble(args[6]));
        int learned = 0;
        for (int i = 0; i < nRows; i++) {
            if (i % ROWS_BETWEEN_CHECKS == 0 && THREADS.getCurrentThreadCpuTime() > end) {
                break;
            }
            final double[] votes = model.getVotesForInstance(rows[i]);
            predicted[i] = best(votes);
            probability[i] = share(votes, (int) rows[i].classValue(), nClasses);
            model.trainOnInstance(rows[i]);
            learned++;
        }
        final double cpu = (THREADS.getCurrentThreadCpuTime() - start) * 1e-9;

        try (DataOutputStream out = new DataOutputStream(
                new BufferedOutputStream(Files.newOutputStream(Path.of(args[7]))))) {
            for (int i = 0; i < learned; i++) {
                out.writeDouble(predicted[i]);
                out.writeDouble(probability[i]);
            }
        }
        System.out.println(String.format(
            Locale.ROOT, "{\"seconds\": %.6f, \"rows\": %d}", cpu, learned));
        // A classifier may have started threads of its own.
        System.exit(0);
    }

    /** The first class with the most votes, as MOA's evaluators choose it; 0 without votes. */
    private static int best(double[] votes) {
        int found = 0;
        for (int j = 1; j < votes.length; j++) {
            if (votes[j] > votes[found]) {
                found = j;
            }
        }
        return found;
    }

    private static double share(double[] votes, int label, int nClasses) {
        double sum = 0.0;
        for (final double vote : votes) {
            sum += Double.isNaN(vote) ? 0.0 : vote;
        }
        if (!(sum > 0.0) || Double.isInfinite(sum)) {
            return 1.0 / nClasses;
        }
        return label < votes.length && !Double.isNaN(votes[label]) ? votes[label] / sum : 0.0;
    }

    private static InstancesHeader header(String[] values) {
        final List<Attribute> attributes = new ArrayList<>();
        for (int i = 0; i < values.length; i++) {
            final String name = i == values.length - 1 ? "class" : "x" + i;
            final int n = Integer.parseInt(values[i]);
            if (n == 0) {
                attributes.add(new Attribute(name));
                continue;
            }
            final List<String> categories = new ArrayList<>();
            for (int j = 0; j < n; j++) {
                categories.add("v" + j);
            }
            attributes.add(new Attribute(name, categories));
        }
        final InstancesHeader header = new InstancesHeader(new Instances("rows", attributes, 0));
        header.setClassIndex(values.length - 1);
        return header;
    }

    private static Instance[] read(Path path, int nRows, InstancesHeader header, int nColumns)
            throws Exception {
        final Instance[] rows = new Instance[nRows];
        try (FileChannel file = FileChannel.open(path)) {
            final DoubleBuffer all = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size())
                .order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer();
            for (int i = 0; i < nRows; i++) {
                final double[] values = new double[nColumns];
                all.get(values);
                rows[i] = new DenseInstance(1.0, values);
                rows[i].setDataset(header);
            }
        }
        return rows;
    }
}
