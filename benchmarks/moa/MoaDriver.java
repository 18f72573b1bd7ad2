import com.yahoo.labs.samoa.instances.Attribute;
import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.Instances;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import moa.classifiers.AbstractClassifier;
import moa.classifiers.trees.HoeffdingTree;

/**
 * Times a tree or a forest of MOA's in its best case: inside the JVM, on instances that were built
 * beforehand, with the JIT warm.
 *
 * <p>Usage: MoaDriver rows.bin N_ROWS VALUES OPTIONS MODE WARM_UP_RUNS TREE
 *
 * <ul>
 *   <li>rows.bin: little-endian doubles, row by row, the class last as 0, 1, 2 ...
 *   <li>VALUES: for each column, the class last, its number of categories, 0 if it is numeric,
 *       separated by commas
 *   <li>OPTIONS: those of the tree, as one argument
 *   <li>MODE: prequential (predict, then learn) or learn
 *   <li>TREE: a class of moa.classifiers, with its package: trees.HoeffdingTree
 * </ul>
 *
 * <p>Prints a line of JSON once it is warm, and then one for each line that it reads: "run" for a
 * timed run, "accuracy" for a run that also predicts, whatever the mode, and is not weighed, "seed N"
 * to have this seed from then on, 1 at first, "order 2,0,1" to have the columns before the class in
 * this order, as they came at first. "right" holds how many of each hundredth of the rows were
 * answered rightly.
 */
public class MoaDriver {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static int seed = 1;

    public static void main(String[] args) throws Exception {
        final int nRows = Integer.parseInt(args[1]);
        final String[] values = args[2].split(",");
        Instance[] rows = read(Path.of(args[0]), nRows, header(values), values.length);
        final Instance[] asTheyCame = rows;
        final String options = args[3];
        final boolean prequential = args[4].equals("prequential");
        final String kind = args[6];

        for (int i = 0; i < Integer.parseInt(args[5]); i++) {
            run(kind, rows, options, prequential);
        }
        System.out.println("{\"ready\": true}");

        final BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("seed ")) {
                seed = Integer.parseInt(line.substring("seed ".length()));
                System.out.println("{\"ready\": true}");
                continue;
            }
            if (line.startsWith("order ")) {
                rows = reordered(asTheyCame, values, line.substring("order ".length()).split(","));
                System.out.println("{\"ready\": true}");
                continue;
            }
            final boolean weighed = line.equals("run");
            System.gc();
            final Result result = run(kind, rows, options, prequential || !weighed);
            final int right = IntStream.of(result.right).sum();
            System.out.println(String.format(Locale.ROOT,
                "{\"cpu\": %.6f, \"wall\": %.6f, \"accuracy\": %.6f, \"bytes\": %d, "
                    + "\"leaves\": %d, \"right\": [%s]}",
                result.cpu, result.wall, (double) right / rows.length,
                weighed ? result.tree.measureByteSize() : 0, leaves(result.tree),
                IntStream.of(result.right).mapToObj(Integer::toString)
                    .collect(Collectors.joining(", "))));
        }
    }

    private static final class Result {
        AbstractClassifier tree;
        double cpu;
        double wall;
        int[] right = new int[0];
    }

    private static Result run(String kind, Instance[] rows, String options, boolean prequential)
            throws Exception {
        final AbstractClassifier tree = (AbstractClassifier)
            Class.forName("moa.classifiers." + kind).getDeclaredConstructor().newInstance();
        tree.getOptions().setViaCLIString(options);
        tree.setModelContext(new InstancesHeader(((DenseInstance) rows[0]).dataset()));
        tree.setRandomSeed(seed);
        tree.prepareForUse();

        final Result result = new Result();
        result.tree = tree;
        final long cpu = THREADS.getCurrentThreadCpuTime();
        final long wall = System.nanoTime();
        if (prequential) {
            result.right = predictAndLearn(tree, rows);
        } else {
            learn(tree, rows);
        }
        result.wall = (System.nanoTime() - wall) * 1e-9;
        result.cpu = (THREADS.getCurrentThreadCpuTime() - cpu) * 1e-9;
        return result;
    }

    private static int[] predictAndLearn(AbstractClassifier tree, Instance[] rows) {
        final int[] right = new int[100];
        for (int i = 0; i < rows.length; i++) {
            if (tree.correctlyClassifies(rows[i])) {
                right[(int) (100L * i / rows.length)]++;
            }
            tree.trainOnInstance(rows[i]);
        }
        return right;
    }

    private static void learn(AbstractClassifier tree, Instance[] rows) {
        for (final Instance row : rows) {
            tree.trainOnInstance(row);
        }
    }

    private static int leaves(AbstractClassifier tree) {
        for (final moa.core.Measurement measurement : tree.getModelMeasurements()) {
            if (measurement.getName().equals("tree size (leaves)")) {
                return (int) measurement.getValue();
            }
        }
        if (tree instanceof HoeffdingTree) {
            throw new IllegalStateException("MOA no longer counts its leaves under this name");
        }
        return 0;
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

    private static Instance[] reordered(Instance[] rows, String[] values, String[] order) {
        final int last = values.length - 1;
        final String[] moved = values.clone();
        final int[] from = new int[values.length];
        from[last] = last;
        for (int j = 0; j < last; j++) {
            from[j] = Integer.parseInt(order[j]);
            moved[j] = values[from[j]];
        }
        final InstancesHeader header = header(moved);
        final Instance[] out = new Instance[rows.length];
        for (int i = 0; i < rows.length; i++) {
            final double[] row = new double[from.length];
            for (int j = 0; j < from.length; j++) {
                row[j] = rows[i].value(from[j]);
            }
            out[i] = new DenseInstance(1.0, row);
            out[i].setDataset(header);
        }
        return out;
    }

    private static Instance[] read(Path path, int nRows, InstancesHeader header, int nColumns)
            throws Exception {
        final Instance[] rows = new Instance[nRows];
        final int rowBytes = nColumns * Double.BYTES;
        final ByteBuffer block =
            ByteBuffer.allocate(rowBytes * 1024).order(ByteOrder.LITTLE_ENDIAN).limit(0);
        try (FileChannel file = FileChannel.open(path)) {
            for (int i = 0; i < nRows; i++) {
                while (block.remaining() < rowBytes) {
                    block.compact();
                    if (file.read(block) < 0) {
                        throw new IllegalStateException(path + " has fewer than " + nRows + " rows");
                    }
                    block.flip();
                }
                final double[] values = new double[nColumns];
                for (int j = 0; j < nColumns; j++) {
                    values[j] = block.getDouble();
                }
                rows[i] = new DenseInstance(1.0, values);
                rows[i].setDataset(header);
            }
        }
        return rows;
    }
}
