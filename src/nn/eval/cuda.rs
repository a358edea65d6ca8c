//! Whether ONNX Runtime can find an NVIDIA GPU here, judged by files.

use std::path::Path;

use super::library::FETCH_SCRIPT;

/// ONNX Runtime's CUDA provider; it is next to the library.
const PROVIDER: &str = if cfg!(windows) {
    "onnxruntime_providers_cuda.dll"
} else {
    "libonnxruntime_providers_cuda.so"
};

/// The reason why the GPU of this number certainly cannot be used with this library, if any.
pub(super) fn refused(id: u8, library: &Path) -> Option<String> {
    let real = library.canonicalize().unwrap_or_default();
    let beside = |path: &Path| path.with_file_name(PROVIDER).is_file();
    if !beside(library) && !beside(&real) {
        return Some(format!(
            "{} has no GPU support: get the GPU build with {FETCH_SCRIPT} --gpu",
            library.display()
        ));
    }
    if cfg!(target_os = "linux") {
        return missing_device(id, Path::new("/"));
    }
    None
}

/// WSL 2 has a driver without device numbers.
const UNNUMBERED: &str = "dev/dxg";
const DRIVER: [&str; 2] = ["dev/nvidiactl", "proc/driver/nvidia/version"];

/// Whether an NVIDIA driver is loaded, according to the files of a Linux system under `root`.
#[must_use]
pub fn has_driver(root: &Path) -> bool {
    let mut files = DRIVER.iter().chain([&UNNUMBERED]);
    files.any(|file| root.join(file).exists())
}

/// The same for one GPU.
fn missing_device(id: u8, root: &Path) -> Option<String> {
    if !has_driver(root) {
        return Some("no NVIDIA driver is loaded".to_owned());
    }
    if root.join(UNNUMBERED).exists() {
        return None;
    }
    let entries = std::fs::read_dir(root.join("dev")).into_iter().flatten();
    let names = entries.flatten().map(|entry| entry.file_name());
    let gpus = names.filter(|name| {
        let number = name.to_str().and_then(|name| name.strip_prefix("nvidia"));
        number.is_some_and(|number| number.parse::<u16>().is_ok())
    });
    match gpus.count() {
        // If the files do not say.
        0 => None,
        count if count > usize::from(id) => None,
        count => Some(format!(
            "there is no GPU {id}: this machine has {count}, and the first is cuda:0"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_the_gpu_is_told_so() {
        let root = std::env::temp_dir().join(format!("tengen-cuda-{}", std::process::id()));
        let dev = root.join("dev");
        std::fs::create_dir_all(&dev).unwrap();
        let reason = |id| missing_device(id, &root).unwrap_or_default();
        assert!(reason(0).contains("no NVIDIA driver"), "{}", reason(0));
        for file in ["nvidiactl", "nvidia0", "nvidia1", "nvidia-uvm"] {
            std::fs::write(dev.join(file), "").unwrap();
        }
        assert_eq!([reason(0), reason(1)], ["", ""]);
        assert!(reason(2).contains("this machine has 2"), "{}", reason(2));
        std::fs::write(dev.join("dxg"), "").unwrap();
        assert_eq!(reason(2), "");
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_library_for_processors_is_told_so() {
        let reason = refused(0, Path::new("/nowhere/libonnxruntime.so")).unwrap();
        assert!(
            reason.contains(&format!("{FETCH_SCRIPT} --gpu")),
            "{reason}"
        );
    }
}
