//! Assets that own their bytes, and the guarantees of their views across threads and tasks.

use std::collections::HashMap;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::path::Path;
use std::sync::Arc;
use std::task::Poll;

use meshpeek::{Asset, Error, FileMap, Format, Inspect, Limits, OwnedAsset};

use crate::writer;

#[test]
fn owned_assets_answer_like_borrowed_ones_on_any_thread() {
    let mut kept = HashMap::new();
    let mut expected = HashMap::new();
    for (name, bytes) in writer::corpus() {
        let asset = Asset::parse_file(Path::new(&name), &bytes, &Limits::default());
        let Ok(asset) = asset else {
            assert!(OwnedAsset::parse_file(Path::new(&name), bytes.clone(), &Limits::default()).is_err());
            continue;
        };
        expected.insert(name.clone(), (asset.format(), asset.summarize()));
        drop(asset);
        let owned = OwnedAsset::parse_file(Path::new(&name), bytes, &Limits::default()).unwrap();
        kept.insert(name, owned);
    }
    assert!(kept.len() > 100);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let (kept, expected) = (kept.clone(), &expected);
            scope.spawn(move || {
                for (name, owned) in kept {
                    let found = (owned.asset().format(), owned.asset().summarize());
                    assert_eq!(found, expected[&name], "{name}");
                }
            });
        }
    });
}

#[test]
fn clones_share_bytes_and_view() {
    let bytes: Arc<[u8]> = writer::corpus().into_iter().find(|(name, _)| name == "bmx/full.bmx").unwrap().1.into();
    let first = OwnedAsset::parse(bytes.clone()).unwrap();
    let second = first.clone();
    drop(first);
    assert_eq!(Arc::strong_count(&bytes), 2);
    assert!(std::ptr::eq(&*bytes, &**second.bytes()));
    // Data that a map inflates is kept for all of them.
    let counted = meshpeek::codec::activity();
    second.clone().asset().summarize();
    let once = meshpeek::codec::activity();
    second.asset().summarize();
    assert_ne!(counted, once);
    assert_eq!(meshpeek::codec::activity(), once);
    drop(second);
    assert_eq!(Arc::strong_count(&bytes), 1);
    let of_bytes = OwnedAsset::parse(bytes::Bytes::from_owner(bytes)).unwrap();
    assert_eq!(of_bytes.asset().format(), Format::Bmx);
    assert!(format!("{of_bytes:?}").starts_with("OwnedAsset("));
}

/// Lets other tasks run before it continues.
async fn pause() {
    let mut paused = false;
    std::future::poll_fn(|context| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[test]
fn a_task_holds_one_across_an_await_and_moves_between_threads() {
    let file = FileMap::open(crate::support::files::root().join("corpus/b3d/everything.b3d")).unwrap();
    let owned = OwnedAsset::parse(file).unwrap();
    let task = |owned: OwnedAsset<FileMap>| async move {
        let Asset::B3d(scene) = owned.asset() else { return 0 };
        let mut bytes = 0;
        for node in scene.nodes() {
            pause().await;
            bytes += node.map_or(0, |node| node.name.len());
        }
        bytes
    };
    fn sent<T: Send + 'static>(task: impl Future<Output = T> + Send + 'static) -> std::thread::JoinHandle<T> {
        std::thread::spawn(|| pollster::block_on(task))
    }
    let expected = pollster::block_on(task(owned.clone()));
    assert!(expected > 0);
    let tasks: Vec<_> = (0..4).map(|_| sent(task(owned.clone()))).collect();
    assert!(tasks.into_iter().all(|task| task.join().unwrap() == expected));
}

/// Compiles only if views are covariant in the lifetime of their bytes.
#[allow(dead_code)]
mod covariance {
    macro_rules! covariant {
        ($($name:ident: $type:ident $(:: $part:ident)*;)*) => {
            $(fn $name<'short, 'long: 'short>(view: meshpeek::$type $(::$part)*<'long>) -> meshpeek::$type $(::$part)*<'short> {
                view
            })*
        };
    }

    // An asset is covariant if every view of a file in it is.
    covariant! {
        asset: Asset;
        lod: odol::Lod;
        mip: paa::Mip;
        pbo_member: pbo::Member;
        zip_member: zip::Member;
        container: container::Container;
        member: container::Member;
    }
}

#[test]
fn public_types_cross_threads_and_unwinding() {
    fn sound<T: Send + Sync + UnwindSafe + RefUnwindSafe>() {}
    sound::<Error>();
    sound::<Asset<'static>>();
    sound::<OwnedAsset<Vec<u8>>>();
    sound::<FileMap>();
    sound::<meshpeek::Summary>();
    fn shared<T: Send + Sync + ?Sized>() {}
    shared::<dyn Inspect>();
}

#[test]
fn an_error_of_opening_has_the_format() {
    let error = Asset::parse(b"BB3D\x04\0\0\0").unwrap_err();
    assert_eq!(error.format(), Some(Format::B3d));
    assert_eq!(error.to_string(), "Blitz3D scene: version at 0x8: needs 4 bytes, 0 left");
    let error = OwnedAsset::parse(&b"ODOL\x01\0\0\0"[..]).unwrap_err();
    assert_eq!((error.format(), error.version()), (Some(Format::Odol), Some(1)));
    assert_eq!(Asset::parse(b"none").unwrap_err().format(), None);
}
