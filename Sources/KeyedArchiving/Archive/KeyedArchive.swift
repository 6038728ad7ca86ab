public enum KeyedArchive { static let rootKey = "root" }
